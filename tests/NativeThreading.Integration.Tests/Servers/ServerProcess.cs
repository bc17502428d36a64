using System.Diagnostics;
using System.Text;

namespace NativeThreading.Integration.Servers;

/// <summary>A server of one test run, on a free port of 127.0.0.1. It ends with the run, however that ends.</summary>
internal sealed class ServerProcess : IAsyncDisposable
{
    private const int Attempts = 5;

    // The shell's standard input closes when this process disposes it or dies; then the shell ends the server.
    private const string Script = """exec 3<&0; "$@" & server=$!; { cat <&3 > /dev/null; kill -INT $server; } & wait $server""";

    private readonly StringBuilder _output = new();
    private readonly TaskCompletionSource _ready = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Process _process;

    private ServerProcess(int port, IEnumerable<string> command)
    {
        Port = port;
        _process = new Process
        {
            StartInfo = new ProcessStartInfo("/bin/sh", ["-c", Script, "sh", .. command])
            {
                RedirectStandardInput = true,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            },
            EnableRaisingEvents = true,
        };
        _process.OutputDataReceived += (_, line) => Read(line.Data);
        _process.ErrorDataReceived += (_, line) => Read(line.Data);
        _process.Exited += (_, _) => _ready.TrySetException(new InvalidOperationException($"The server has ended:\n{Output}"));
        _process.Start();
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
    }

    public int Port { get; }

    private string Output
    {
        get
        {
            lock (_output)
            {
                return _output.ToString();
            }
        }
    }

    /// <summary>Returns when the server has said that it is ready.</summary>
    /// <param name="command">The server's command line for a port.</param>
    public static async Task<ServerProcess> StartAsync(Func<int, IEnumerable<string>> command)
    {
        for (int attempt = 1; ; attempt++)
        {
            int port = FreePort.Find();
            var server = new ServerProcess(port, command(port));
            try
            {
                await Deadline.For(server._ready.Task, "the server says that it is ready");
                return server;
            }
            catch (InvalidOperationException) when (attempt < Attempts)
            {
                await server.DisposeAsync(); // another process took the port meanwhile
            }
            catch
            {
                await server.DisposeAsync();
                throw;
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        _process.StandardInput.Close();
        try
        {
            await Deadline.For(_process.WaitForExitAsync(), "the server's end");
        }
        finally
        {
            if (!_process.HasExited)
            {
                _process.Kill(entireProcessTree: true);
            }

            _process.Dispose();
        }
    }

    // What both PostgreSQL and Redis write.
    private void Read(string? line)
    {
        lock (_output)
        {
            _output.AppendLine(line);
        }

        if (line?.Contains("ready to accept connections", StringComparison.OrdinalIgnoreCase) == true)
        {
            _ready.TrySetResult();
        }
    }
}
