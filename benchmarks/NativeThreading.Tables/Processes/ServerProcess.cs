using System.Diagnostics;
using System.Reflection;
using System.Runtime.InteropServices;

namespace NativeThreading.Tables.Processes;

/// <summary>A web server in a process of its own. Its line "ready" names the addresses that it listens on.</summary>
internal sealed class ServerProcess : IDisposable
{
    private const string Ready = "ready ";
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(20);

    private readonly Process _process;

    /// <param name="metadata">The name under which the assembly's metadata have the program's path.</param>
    /// <param name="arguments">Of the program.</param>
    /// <exception cref="MeasurementException">It ended, or was not ready in time.</exception>
    public ServerProcess(string metadata, params string[] arguments)
    {
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
        };
        _process.Start();
        _process.BeginOutputReadLine(); // and goes on reading: a full pipe would stop the server
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

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
            _process.WaitForExit(s_deadline);
        }

        _process.Dispose();
    }
}
