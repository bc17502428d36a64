using System.Diagnostics;
using System.Globalization;
using NativeThreading.Tables.Echo;
using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.Http;

namespace NativeThreading.Tables.Kestrel;

/// <summary>What counts the system calls of a process that runs: perf where it may, which hardly disturbs, else strace.</summary>
internal sealed class SystemCallTool
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(10);

    private readonly bool _perf;

    private SystemCallTool(bool perf) => _perf = perf;

    public string Name => _perf ? "perf stat" : "strace, which slows the server down";

    /// <summary>Null where neither can be used.</summary>
    public static SystemCallTool? Find() =>
        PerfWorks() ? new SystemCallTool(perf: true)
        : PeerPrograms.IsInstalled("strace") ? new SystemCallTool(perf: false)
        : null;

    /// <summary>The calls of all threads of a process while something runs; null where they could not be counted.</summary>
    /// <param name="process">Whose.</param>
    /// <param name="run">Is given the beginning of the command line under which its program must run.</param>
    public long? Count(int process, Action<IReadOnlyList<string>> run)
    {
        if (_perf)
        {
            return UnderPerf(["-p", process.ToString(CultureInfo.InvariantCulture)], run);
        }

        using var counter = new SystemCallCounter(process);
        counter.Begin();
        run([]);
        return counter.WhyNot is null ? counter.End() : null;
    }

    private static long? UnderPerf(string[] whose, Action<IReadOnlyList<string>> run)
    {
        string report = Path.GetTempFileName();
        try
        {
            run(["perf", "stat", "-x", ",", "-e", PerfReport.SystemCalls, "-o", report, .. whose, "--"]);
            return PerfReport.SystemCallsIn(File.ReadAllText(report));
        }
        finally
        {
            File.Delete(report);
        }
    }

    /// <summary>It may be there and not be allowed to, or for another kernel.</summary>
    private static bool PerfWorks() => PeerPrograms.IsInstalled("perf") && UnderPerf([], static under =>
    {
        using Process process = Process.Start(new ProcessStartInfo(under[0], [.. under.Skip(1), "true"]) { RedirectStandardError = true })!;
        process.ErrorDataReceived += static (_, _) => { };
        process.BeginErrorReadLine();
        if (!process.WaitForExit(s_deadline))
        {
            process.Kill();
        }
    }) > 0;
}
