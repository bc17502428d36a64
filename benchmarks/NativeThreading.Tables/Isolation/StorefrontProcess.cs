using System.Diagnostics;
using System.Reflection;
using System.Runtime.InteropServices;

namespace NativeThreading.Tables.Isolation;

/// <summary>
/// The sample, with or without isolation, in a process of its own; a new one for each run, because the runtime's pool keeps
/// the threads that an earlier run made it grow.
/// </summary>
internal sealed class StorefrontProcess : IDisposable
{
    private const string Ready = "ready ";
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(20);

    private readonly Process _process;

    public StorefrontProcess(bool isolated)
    {
        string program = typeof(StorefrontProcess).Assembly
            .GetCustomAttributes<AssemblyMetadataAttribute>().Single(a => a.Key == "StorefrontSample").Value!;
        var start = new ProcessStartInfo(program, ["--urls", "http://127.0.0.1:0", "--Isolation", isolated ? "true" : "false"])
        {
            RedirectStandardOutput = true,
            WorkingDirectory = Path.GetDirectoryName(program)!, // where its settings are
        };
        start.Environment["DOTNET_ROOT"] = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", ".."));

        var address = new TaskCompletionSource<Uri>(TaskCreationOptions.RunContinuationsAsynchronously);
        _process = new Process { StartInfo = start, EnableRaisingEvents = true };
        _process.Exited += (_, _) => address.TrySetCanceled();
        _process.OutputDataReceived += (_, line) =>
        {
            if (line.Data is string text && text.StartsWith(Ready, StringComparison.Ordinal))
            {
                address.TrySetResult(new Uri(text[Ready.Length..]));
            }
        };
        _process.Start();
        _process.BeginOutputReadLine(); // and goes on reading: a full pipe would stop the server
        if (Task.WaitAny([address.Task], s_deadline) < 0 || address.Task.IsCanceled)
        {
            Dispose();
            throw new MeasurementException($"{program} was not ready within {s_deadline.TotalSeconds} s, or ended.");
        }

        Address = address.Task.Result;
    }

    public Uri Address { get; }

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
