using System.Net.Sockets;
using System.Runtime.InteropServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Interop;

/// <summary>On the managed core a loop watches no descriptors. It says so, and does all else.</summary>
public sealed class LoopWithoutDescriptorsTests
{
    [Fact]
    public async Task Register_NamesThePlatformAndTheCore_AndTheLoopGoesOn()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(RegisterASocket, ("NATIVETHREADING_CORE", "managed"));
        Assert.True(child.ExitCode == 0, child.ToString());
        Assert.Contains(
            $"This process runs on {RuntimeInformation.RuntimeIdentifier}, on the managed core: NATIVETHREADING_CORE=managed selects it.",
            child.ToString(),
            StringComparison.Ordinal);
    }

    private static int RegisterASocket()
    {
        using var loop = new EventLoop();
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        PlatformNotSupportedException refused = Assert.Throws<PlatformNotSupportedException>(
            () => loop.Register(socket.SafeHandle, EventLoopInterest.Read, static (_, _) => { }, null));
        Console.WriteLine(refused.Message);
        Deadline.Wait(loop.InvokeAsync(static () => { }));
        return 0;
    }
}
