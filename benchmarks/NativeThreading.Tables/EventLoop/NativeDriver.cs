using System.Diagnostics;
using System.Globalization;
using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Processes;

namespace NativeThreading.Tables.EventLoops;

/// <summary>The C program of <c>benchmarks/peers</c> that measures the native rows, running next to this process and answering one request at a time:
/// while it measures, this process waits, and the other way round.</summary>
internal sealed class NativeDriver : IDisposable
{
    public const string Ours = "nativethreading";
    public const string Libuv = "libuv";

    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(30);

    private readonly Process _process;

    private NativeDriver(Process process) => _process = process;

    /// <summary>Null where the program could not be built, for want of tools.</summary>
    public static NativeDriver? Start(PeerPrograms programs)
    {
        if (programs.Find("eventloop") is not string program)
        {
            return null;
        }

        var start = new ProcessStartInfo(program, ["--serve"]) { RedirectStandardInput = true, RedirectStandardOutput = true };
        var driver = new NativeDriver(Process.Start(start)!);
        driver.ReadLine(s_deadline); // Which libuv it has: PeerPrograms told already.
        return driver;
    }

    public Contender Contender(string row, string contender, string name) => new(name, () => Measure(row, contender));

    public (Sample P50, Sample P99) WakeLatencies(string contender, int wakes)
    {
        Send("wake/cross-thread", contender, wakes);
        DriverLine[] lines = Receive(s_deadline);
        return (Single(lines, "wake/cross-thread/p50", contender), Single(lines, "wake/cross-thread/p99", contender));
    }

    /// <summary>Has a loop sleep; <see cref="EndIdle"/> says what it did meanwhile.</summary>
    public void BeginIdle(TimeSpan window) => Send("idle", Ours, (int)window.TotalSeconds);

    public Sample EndIdle(TimeSpan window) => Single(Receive(window + s_deadline), "idle", Ours);

    public void Dispose()
    {
        _process.StandardInput.Close(); // It ends with its input.
        if (!_process.WaitForExit(s_deadline))
        {
            _process.Kill();
        }

        _process.Dispose();
    }

    private Sample Measure(string row, string contender)
    {
        Send(row, contender, 0);
        return Single(Receive(s_deadline), row, contender);
    }

    private void Send(string row, string contender, int number)
    {
        try
        {
            _process.StandardInput.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{row} {contender} {number}"));
            _process.StandardInput.Flush();
        }
        catch (IOException)
        {
            // It has ended, which the answer that does not come will tell.
        }
    }

    private DriverLine[] Receive(TimeSpan deadline)
    {
        var lines = new List<DriverLine>();
        for (string line = ReadLine(deadline); line.Length > 0; line = ReadLine(deadline))
        {
            lines.Add(DriverLine.Parse(line));
        }

        return [.. lines];
    }

    private string ReadLine(TimeSpan deadline)
    {
        if (_process.ReadLine(deadline, "the driver of the native rows did not answer in time.") is string line)
        {
            return line;
        }

        _process.WaitForExit(s_deadline);
        throw new MeasurementException($"the driver of the native rows ended with {_process.ExitCode}; its reason stands above.");
    }

    private static Sample Single(DriverLine[] lines, string row, string contender) =>
        lines.SingleOrDefault(l => l.Row == row && l.Contender == contender)?.Sample
        ?? throw new MeasurementException($"the driver was asked for {row} of {contender} and answered something else.");
}
