using System.Globalization;
using NativeThreading.Tables.Processes;

namespace NativeThreading.Tables.Kestrel;

/// <summary>What a server has used so far. It asks getrusage for itself, which counts the threads that have ended, as no file of <c>/proc</c> does
/// for switches.</summary>
internal readonly record struct ServerUsage(double CpuMicroseconds, double Switches)
{
    public static ServerUsage Of(ServerProcess server) =>
        server.Ask("usage").Split(' ') is [var cpu, var switches]
            ? new ServerUsage(double.Parse(cpu, CultureInfo.InvariantCulture) / 1000, double.Parse(switches, CultureInfo.InvariantCulture))
            : throw new MeasurementException("the server does not say what it has used.");

    public ServerUsage Since(ServerUsage earlier) => new(CpuMicroseconds - earlier.CpuMicroseconds, Switches - earlier.Switches);
}
