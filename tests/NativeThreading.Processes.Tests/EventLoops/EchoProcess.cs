using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text.Json;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.EventLoops;

/// <summary>The sample, running. Its first line is its port, its last one a report; it stops when its input ends.</summary>
internal sealed class EchoProcess : IDisposable
{
    private readonly Process _process;
    private readonly Task<string> _error;
    private readonly IPEndPoint _address;

    public EchoProcess(params string[] arguments)
    {
        var start = new ProcessStartInfo(Program, arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment["DOTNET_ROOT"] = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", ".."));
        _process = Process.Start(start)!;
        _error = _process.StandardError.ReadToEndAsync();
        _address = new IPEndPoint(IPAddress.Loopback, int.Parse(ReadLine(), CultureInfo.InvariantCulture));
    }

    /// <summary>A connection whose calls fail at the deadline.</summary>
    public Socket Connect(int bufferSize = 0)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        {
            NoDelay = true,
            ReceiveTimeout = (int)Deadline.Time.TotalMilliseconds,
            SendTimeout = (int)Deadline.Time.TotalMilliseconds,
        };
        if (bufferSize > 0)
        {
            (socket.ReceiveBufferSize, socket.SendBufferSize) = (bufferSize, bufferSize);
        }

        socket.Connect(_address);
        return socket;
    }

    public void EndInput() => _process.StandardInput.Close();

    public async Task SendTerminateAsync() =>
        await CommandLine.RunAsync("sh", ["-c", $"kill -TERM {_process.Id}"], Path.GetTempPath(), Deadline.Time);

    /// <summary>The report, once the process has ended well.</summary>
    public async Task<JsonElement> ReportAsync()
    {
        string line = ReadLine();
        await Deadline.For(_process.WaitForExitAsync());
        Assert.True(_process.ExitCode == 0, $"exit code {_process.ExitCode}\n{await _error}");
        using JsonDocument report = JsonDocument.Parse(line);
        return report.RootElement.Clone();
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
        }

        _process.Dispose();
    }

    private static string Program { get; } = typeof(EchoProcess).Assembly
        .GetCustomAttributes<AssemblyMetadataAttribute>().Single(a => a.Key == "EchoSample").Value!;

    private string ReadLine()
    {
        string? line = Deadline.Result(_process.StandardOutput.ReadLineAsync());
        Assert.True(line is not null, $"The sample has ended.\n{(_error.IsCompleted ? _error.Result : "")}");
        return line;
    }
}
