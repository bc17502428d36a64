using System.Collections.Concurrent;
using System.Diagnostics;
using System.Reflection;
using System.Runtime.InteropServices;

namespace NativeThreading.Tables.Processes;

/// <summary>A web server in a process of its own. Its line "ready" names the addresses that it listens on. It may answer questions, too.</summary>
internal sealed class ServerProcess : IDisposable
{
    private const string Ready = "ready ", Answer = "answer ";
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(20);

    private readonly Process _process;
    private readonly string _metadata;
    private readonly string[] _arguments;
    private readonly BlockingCollection<string> _answers = [];

    /// <param name="metadata">The name under which the assembly's metadata have the program's path.</param>
    /// <param name="arguments">Of the program.</param>
    /// <exception cref="MeasurementException">It ended, or was not ready in time.</exception>
    public ServerProcess(string metadata, params string[] arguments)
    {
        (_metadata, _arguments) = (metadata, arguments);
        string program = typeof(ServerProcess).Assembly
            .GetCustomAttributes<AssemblyMetadataAttribute>().Single(a => a.Key == metadata).Value!;
        var start = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardInput = true, // it may end with it
            RedirectStandardOutput = true,
            WorkingDirectory = Path.GetDirectoryName(program)!, // where its settings are
        };
        start.Environment["DOTNET_ROOT"] = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", ".."));

        var address = new TaskCompletionSource<Uri[]>(TaskCreationOptions.RunContinuationsAsynchronously);
        _process = new Process { StartInfo = start, EnableRaisingEvents = true };
        _process.Exited += (_, _) => address.TrySetCanceled();
        _process.OutputDataReceived += (_, line) =>
        {
            if (line.Data is string text && text.StartsWith(Ready, StringComparison.Ordinal))
            {
                address.TrySetResult([.. text[Ready.Length..].Split(' ').Select(static url => new Uri(url))]);
            }
            else if (line.Data?.StartsWith(Answer, StringComparison.Ordinal) == true)
            {
                _answers.Add(line.Data[Answer.Length..]);
            }
        };
        _process.Start();
        _process.BeginOutputReadLine(); // and continues to read: a full pipe would stop the server
        if (Task.WaitAny([address.Task], s_deadline) < 0 || address.Task.IsCanceled)
        {
            Dispose();
            throw new MeasurementException($"{program} was not ready within {s_deadline.TotalSeconds} s, or ended.");
        }

        Addresses = address.Task.Result;
    }

    public IReadOnlyList<Uri> Addresses { get; }

    public int Id => _process.Id;

    public TimeSpan CpuTime
    {
        get
        {
            _process.Refresh();
            return _process.TotalProcessorTime;
        }
    }

    /// <summary>Another process of the same program with the same arguments.</summary>
    public ServerProcess StartAnother() => new(_metadata, _arguments);

    /// <summary>Asks a question by a line of its input, and waits for the line that answers. One caller at a time.</summary>
    /// <exception cref="MeasurementException">No answer came in time.</exception>
    public string Ask(string question)
    {
        _process.StandardInput.WriteLine(question);
        _process.StandardInput.Flush();
        return _answers.TryTake(out string? answer, s_deadline)
            ? answer
            : throw new MeasurementException($"the server did not answer '{question}' within {s_deadline.TotalSeconds} s.");
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
            _process.WaitForExit(s_deadline);
        }

        _process.Dispose();
        _answers.Dispose();
    }
}
