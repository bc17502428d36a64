using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using System.Runtime.InteropServices;
using NativeThreading.Tables.Processes;

namespace NativeThreading.Tables.Startup;

/// <summary>One run of <c>benchmarks/NativeThreading.Startup</c>, timed from before its start.</summary>
internal static class StartedProgram
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromMinutes(1);

    /// <summary>As it was built, with a library that is compiled when it is first called.</summary>
    public static string Location { get; } = typeof(StartedProgram).Assembly
        .GetCustomAttributes<AssemblyMetadataAttribute>().Single(static a => a.Key == "StartupProgram").Value!;

    public static Sample Run(string program, string[] arguments)
    {
        string said = string.Join(' ', arguments);
        var start = new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true };
        start.Environment["DOTNET_ROOT"] = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", ".."));
        long from = Stopwatch.GetTimestamp();
        using Process process = Process.Start(start)!;
        string[] fields = (process.ReadLine(s_deadline, $"{said}: nothing within {s_deadline.TotalSeconds} s.") ?? "").Split(' ');
        if (!process.WaitForExit(s_deadline))
        {
            process.Kill();
            throw new MeasurementException($"{said}: the process did not end within {s_deadline.TotalSeconds} s.");
        }

        // The program's clock is this one's: that of the machine.
        return process.ExitCode == 0 && fields is [var now, var cpu]
            ? new Sample(Stopwatch.GetElapsedTime(from, long.Parse(now, CultureInfo.InvariantCulture)).TotalMilliseconds,
                double.Parse(cpu, CultureInfo.InvariantCulture), null)
            : throw new MeasurementException($"{said}: exit code {process.ExitCode}, output '{string.Join(' ', fields)}'.");
    }
}
