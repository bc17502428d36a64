using System.Collections.Concurrent;
using System.Diagnostics;
using System.Text.RegularExpressions;

namespace NativeThreading.Packaging.Tests.Support;

/// <summary>A web application in a process of its own, on a port that the system chooses, in Development as <c>dotnet run</c> starts it.</summary>
internal sealed partial class RunningApplication : IDisposable
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromMinutes(1);

    private readonly TaskCompletionSource<Uri> _address = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ConcurrentQueue<string> _log = new();
    private readonly HttpClient _client = new() { Timeout = s_deadline };
    private readonly Process _process;

    private RunningApplication(string program)
    {
        _process = new Process
        {
            StartInfo = new ProcessStartInfo(program, ["--urls", "http://127.0.0.1:0"])
            {
                WorkingDirectory = Path.GetDirectoryName(program),
                RedirectStandardOutput = true,
                Environment = { ["ASPNETCORE_ENVIRONMENT"] = "Development" },
            },
        };
        _process.OutputDataReceived += (_, output) => Note(output.Data);
        _process.Start();
        _process.BeginOutputReadLine();
    }

    /// <summary>What it has written so far.</summary>
    public string Log => string.Join('\n', _log);

    /// <summary>Returns when it listens.</summary>
    public static async Task<RunningApplication> StartAsync(string program)
    {
        var application = new RunningApplication(program);
        try
        {
            application._client.BaseAddress = await application._address.Task.WaitAsync(s_deadline);
            return application;
        }
        catch
        {
            application.Dispose();
            throw;
        }
    }

    public Task<string> GetAsync(string path) => _client.GetStringAsync(new Uri(path, UriKind.Relative));

    /// <summary>As a service manager stops it, or Ctrl+C.</summary>
    public async Task<int> StopAsync()
    {
        using Process kill = Process.Start("kill", ["-TERM", $"{_process.Id}"]);
        using var timeout = new CancellationTokenSource(s_deadline);
        await _process.WaitForExitAsync(timeout.Token);
        return _process.ExitCode;
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
        }

        _process.Dispose();
        _client.Dispose();
    }

    private void Note(string? line)
    {
        if (line is null)
        {
            _address.TrySetException(new InvalidOperationException($"It ended before it listened:\n{Log}"));
            return;
        }

        _log.Enqueue(line);
        if (Listening().Match(line) is { Success: true } listening)
        {
            _address.TrySetResult(new Uri(listening.Groups[1].Value));
        }
    }

    [GeneratedRegex(@"Now listening on: (http://\S+)")]
    private static partial Regex Listening();
}
