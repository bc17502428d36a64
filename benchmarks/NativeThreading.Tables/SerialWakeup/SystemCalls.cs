using System.Diagnostics;
using System.Globalization;
using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.SerialWakeup;

namespace NativeThreading.Tables.SerialWakeup;

/// <summary>Counts system calls with strace, in separate runs that are not timed. The other calls of the process are subtracted: the same program runs
/// with a few trips and with many, and the difference counts.</summary>
internal static class SystemCalls
{
    private const int Few = 1_000;

    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(60);

    public static bool CanCount => PeerPrograms.IsInstalled("strace");

    /// <summary>Per 10,000 trips; null where the tracer fails, as it does where tracing is not allowed.</summary>
    /// <param name="trips">How many are counted: a traced trip can take a millisecond.</param>
    public static double? Count(int trips, string program, Func<int, string[]> arguments, params KeyValuePair<string, string>[] environment)
    {
        long? few = Run(program, arguments(Few), environment);
        long? many = Run(program, arguments(Few + trips), environment);
        return many - few is long difference ? Math.Max(0, difference) * (double)SerialRun.Trips / trips : null;
    }

    private static long? Run(string program, string[] arguments, KeyValuePair<string, string>[] environment)
    {
        string report = Path.GetTempFileName();
        try
        {
            var start = new ProcessStartInfo("strace", ["-f", "-c", "-o", report, program, .. arguments])
            {
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            };
            foreach ((string name, string value) in environment)
            {
                start.Environment[name] = value;
            }

            using Process process = Process.Start(start)!;
            process.OutputDataReceived += static (_, _) => { };
            process.ErrorDataReceived += static (_, _) => { };
            process.BeginOutputReadLine();
            process.BeginErrorReadLine();
            if (!process.WaitForExit(s_deadline))
            {
                process.Kill(entireProcessTree: true);
                return null;
            }

            // The last line of the summary: 100.00  seconds  usecs/call  calls  [errors]  total
            string[]? total = File.ReadLines(report).LastOrDefault(l => l.EndsWith("total", StringComparison.Ordinal))
                ?.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            return process.ExitCode == 0 && total is { Length: >= 5 } ? long.Parse(total[3], CultureInfo.InvariantCulture) : null;
        }
        finally
        {
            File.Delete(report);
        }
    }
}
