using System.Diagnostics;
using System.Text.Json;
using NativeThreading.Tables.Processes;

namespace NativeThreading.Tables.Harness;

/// <summary>A running program of <c>benchmarks/peers</c> that measures on request (serve.h), so that it takes its turn among the other contenders;
/// between its turns it waits for input and uses no CPU time.</summary>
internal sealed class PeerProcess : IDisposable
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(60);

    private readonly ProcessStartInfo _start;
    private Process? _process;

    /// <summary>For a program that can answer only one request: each is made to a new process, whose start is not timed.</summary>
    public bool OneRequestPerProcess { get; init; }

    public PeerProcess(string path, string? argument = null, params IEnumerable<KeyValuePair<string, string>> environment)
    {
        _start = new ProcessStartInfo(path) { RedirectStandardInput = true, RedirectStandardOutput = true };
        if (argument is not null)
        {
            _start.ArgumentList.Add(argument);
        }

        foreach ((string name, string value) in environment)
        {
            _start.Environment[name] = value;
        }
    }

    /// <summary>How often the program ended in the middle of a request and was started again.</summary>
    public int Crashes { get; private set; }

    /// <summary>Nanoseconds of wall time per iteration, with CPU time and switches of the peer's process.</summary>
    /// <exception cref="MeasurementException">It executed another number of items, did not answer, or keeps crashing.</exception>
    public Sample Measure(string row, long iterations, long itemsPerIteration)
    {
        const int attempts = 20;
        string? answer = null;
        for (int attempt = 0; attempt < attempts && answer is null; attempt++)
        {
            answer = Ask($"{row} {iterations}");
            if (answer is null)
            {
                Crashes++;
                Dispose();
            }
        }

        if (answer is null)
        {
            throw new MeasurementException($"{_start.FileName} {row}: ended without an answer {attempts} times in a row.");
        }

        using JsonDocument json = JsonDocument.Parse(answer);
        double Number(string name) => json.RootElement.GetProperty(name).GetDouble();
        double executed = Number("executed");
        return executed == iterations * itemsPerIteration
            ? new Sample(Number("ns"), Number("cpu_ns"), Number("switches"))
            : throw new MeasurementException($"{_start.FileName} {row}: {executed:N0} items were executed instead of {iterations * itemsPerIteration:N0} (T122).");
    }

    /// <summary>Ends the program; a later request starts it anew.</summary>
    public void Dispose()
    {
        if (_process is null)
        {
            return;
        }

        try
        {
            _process.StandardInput.Close();
            if (!_process.WaitForExit(TimeSpan.FromSeconds(5)))
            {
                _process.Kill();
            }
        }
        catch (IOException)
        {
            // It is gone already.
        }

        _process.Dispose();
        _process = null;
    }

    /// <summary>Null: the program has ended.</summary>
    private string? Ask(string request)
    {
        _process ??= Process.Start(_start)!;
        try
        {
            _process.StandardInput.WriteLine(request);
            _process.StandardInput.Flush();
        }
        catch (IOException)
        {
            return null;
        }

        string? line = _process.ReadLine(s_deadline, $"{_start.FileName} {request}: no answer within {s_deadline.TotalSeconds} s.");
        if (OneRequestPerProcess && line is not null)
        {
            Dispose();
        }

        return line;
    }
}
