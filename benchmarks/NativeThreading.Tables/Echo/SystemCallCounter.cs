using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Echo;

/// <summary>Counts the system calls of a running process, all its threads together, with strace: attached once everything is warm, so that neither
/// start-up nor connecting counts.</summary>
internal sealed partial class SystemCallCounter(int processId) : IDisposable
{
    private const int Interrupt = 2;
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(20);

    private readonly string _summary = Path.GetTempFileName();
    private Process? _strace;

    /// <summary>For a note: why there is nothing to count with. Null once attached.</summary>
    public string? WhyNot { get; private set; } = "not attached";

    public void Begin()
    {
        if (!PeerPrograms.IsInstalled("strace"))
        {
            WhyNot = "strace was not found: apt-get install -y strace";
            return;
        }

        string id = processId.ToString(CultureInfo.InvariantCulture);
        _strace = Process.Start(new ProcessStartInfo("strace", ["-f", "-c", "-o", _summary, "-p", id]) { RedirectStandardError = true })!;
        Task<string?> said = _strace.StandardError.ReadLineAsync();
        if (said.Wait(s_deadline) && said.Result?.Contains("attached", StringComparison.Ordinal) == true)
        {
            WhyNot = null;
            return;
        }

        WhyNot = $"strace may not attach to a running process: {(said.IsCompleted ? said.Result : "no answer")}";
        _strace.Kill();
    }

    /// <summary>Detaches; how many calls there were.</summary>
    public long End()
    {
        _ = kill(_strace!.Id, Interrupt);
        if (!_strace.WaitForExit(s_deadline))
        {
            _strace.Kill();
            throw new MeasurementException("strace did not detach.");
        }

        return CountIn(File.ReadAllText(_summary));
    }

    public void Dispose()
    {
        _strace?.Dispose();
        File.Delete(_summary);
    }

    /// <summary>One line a system call: share of the time, seconds, microseconds a call, calls, errors if any, name. The
    /// sum at the end looks different from version to version.</summary>
    private static long CountIn(string summary) => SummaryLine().Matches(summary)
        .Where(m => m.Groups["name"].Value != "total")
        .Sum(m => long.Parse(m.Groups["calls"].Value, CultureInfo.InvariantCulture));

    [GeneratedRegex(@"^ *[\d.]+ +[\d.]+ +\d+ +(?<calls>\d+) +(\d+ +)?(?<name>\w+)$", RegexOptions.Multiline)]
    private static partial Regex SummaryLine();

    [LibraryImport("libc")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int kill(int process, int signal);
}
