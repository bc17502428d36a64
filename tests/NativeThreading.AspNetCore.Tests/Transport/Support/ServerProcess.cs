using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Runtime.InteropServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport.Support;

/// <summary>A server in a process of its own: it says on which port it listens, and ends with its standard input.</summary>
internal sealed partial class ServerProcess : IAsyncDisposable
{
    private const int SigCont = 18, SigStop = 19; // of Linux

    private readonly Process _process;
    private readonly Task<string> _errors;

    private ServerProcess(Process process)
    {
        _process = process;
        _errors = process.StandardError.ReadToEndAsync();
    }

    public IPEndPoint EndPoint { get; private set; } = new(IPAddress.Loopback, 0);

    /// <summary>What the system says of the process's first thread: T where it is stopped.</summary>
    public bool IsStopped => File.ReadAllText($"/proc/{_process.Id}/stat") is var stat && stat[stat.LastIndexOf(')') + 2] == 'T';

    /// <param name="main">Calls <see cref="Serve"/>.</param>
    /// <param name="carrier">For it.</param>
    public static async Task<ServerProcess> StartAsync(Func<int> main, Carrier carrier)
    {
        NeedsSystemAttribute.SkipUnlessMet(NeedsSystemAttribute.Linux);
        ProcessStartInfo start = ChildProcess.Start(main, (nameof(Carrier), $"{carrier}"));
        start.RedirectStandardInput = true;
        var server = new ServerProcess(Process.Start(start)!);
        string? port = await Deadline.For(server._process.StandardOutput.ReadLineAsync(), "the server's port");
        if (port is null)
        {
            throw new InvalidOperationException($"The server did not start. {await server._errors}");
        }

        server.EndPoint = new IPEndPoint(IPAddress.Loopback, int.Parse(port, CultureInfo.InvariantCulture));
        return server;
    }

    /// <summary>In the child.</summary>
    public static int Serve(ServerPlan plan)
    {
        TransportServer server = Deadline.Result(
            TransportServer.StartAsync(Enum.Parse<Carrier>(Environment.GetEnvironmentVariable(nameof(Carrier))!), plan));
        Console.WriteLine(server.Port.ToString(CultureInfo.InvariantCulture));
        Console.In.ReadToEnd();
        Deadline.Wait(server.DisposeAsync().AsTask());
        server.AssertEndedWell();
        return 0;
    }

    /// <summary>Returns when none of its threads runs any more.</summary>
    public void Stop()
    {
        Send(SigStop);
        Deadline.Until(() => IsStopped);
    }

    public void Continue() => Send(SigCont);

    /// <summary>Ends it in an orderly way. It has found nothing wrong with itself.</summary>
    public async Task EndAsync()
    {
        _process.StandardInput.Close();
        await Deadline.For(_process.WaitForExitAsync(), "end of the server");
        Assert.True(_process.ExitCode == 0, $"exit code {_process.ExitCode}: {await _errors}");
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
            await Deadline.For(_process.WaitForExitAsync());
        }

        _process.Dispose();
    }

    private void Send(int signal)
    {
        if (kill(_process.Id, signal) != 0)
        {
            throw new Win32Exception(Marshal.GetLastPInvokeError());
        }
    }

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int kill(int process, int signal);
}
