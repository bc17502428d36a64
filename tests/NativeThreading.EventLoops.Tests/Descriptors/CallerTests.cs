using System.Buffers;
using System.Net;
using System.Net.Sockets;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Who may read and accept: the loop's thread, while the registration lasts; and that nothing is called behind that.</summary>
public sealed class CallerTests : CallTest
{
    private readonly Pair _pair = Pair.OfSockets();
    private readonly EventLoopRegistration _registration;

    public CallerTests() => _registration = Register(_pair.Here);

    public enum Method
    {
        Read,
        Accept,
        AcceptWithPeer,
        Write, // from here on, by any thread
        WriteSequence,
        WriteSequenceOfOne,
        ShutdownWrite,
    }

    public static TheoryData<Method> Methods => [.. Enum.GetValues<Method>()];

    public static TheoryData<Method> MethodsOfTheLoop => [.. Enum.GetValues<Method>().Where(static method => method < Method.Write)];

    protected override void Release() => _pair.Dispose();

    [Theory]
    [MemberData(nameof(MethodsOfTheLoop))]
    public void AnotherThread_IsRefused(Method method)
    {
        _pair.There.Write(1);
        Assert.Contains(Loop.ToString(), Assert.Throws<InvalidOperationException>(() => Make(method)).Message, StringComparison.Ordinal);
        using var other = new EventLoop();
        Deadline.Wait(other.InvokeAsync(() => Assert.Throws<InvalidOperationException>(() => Make(method))));

        Assert.Empty(_pair.There.ReadAll()); // nothing happened
        Assert.True(OnLoop(() => _registration.TryRead(new byte[1], out _)));
        Assert.True(OnLoop(() => _registration.TryWrite([1], out _)));
    }

    [Theory]
    [MemberData(nameof(Methods))]
    public void Disposed_IsRefused(Method method)
    {
        OnLoop(_registration.Dispose);
        OnLoop(() => Assert.Throws<ObjectDisposedException>(() => Make(method)));
        Assert.Throws<ObjectDisposedException>(() => Make(method));
    }

    private void Make(Method method)
    {
        switch (method)
        {
            case Method.Read:
                _registration.TryRead(new byte[1], out _);
                break;
            case Method.Write:
                _registration.TryWrite([1], out int _);
                break;
            case Method.WriteSequence:
                _registration.TryWrite(Segments.Of([1, 2], 2), out _);
                break;
            case Method.WriteSequenceOfOne:
                _registration.TryWrite(new ReadOnlySequence<byte>([1]), out _);
                break;
            case Method.Accept:
                _registration.TryAccept(out _);
                break;
            case Method.AcceptWithPeer:
                _registration.TryAccept(new SocketAddress(AddressFamily.InterNetwork), out _);
                break;
            default:
                _registration.ShutdownWrite();
                break;
        }
    }
}
