using System.Globalization;
using NativeThreading.Tables.Processes;

namespace NativeThreading.Tables.Kestrel;

/// <summary>What a server holds when its collector has done all it can, in KiB.</summary>
internal readonly record struct ServerMemory(double Resident, double Heap)
{
    public static ServerMemory Of(ServerProcess server) =>
        server.Ask("memory").Split(' ') is [var resident, var heap]
            ? new ServerMemory(double.Parse(resident, CultureInfo.InvariantCulture) / 1024, double.Parse(heap, CultureInfo.InvariantCulture) / 1024)
            : throw new MeasurementException("the server does not say what it holds.");
}
