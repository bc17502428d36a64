using System.Net;
using System.Net.Sockets;
using NativeThreading.EventLoops;

namespace NativeThreading.Samples.Echo;

/// <summary>
/// An echo server on <see cref="EventLoop"/> alone: no task, no thread pool, no allocation for a message. The first loop
/// accepts, and all take connections in turn.
/// </summary>
internal sealed class EchoServer : IEchoServer
{
    private static readonly TimeSpan s_acceptPause = TimeSpan.FromMilliseconds(100);

    private readonly EventLoopGroup _group;
    private readonly EchoLoop[] _loops;
    private readonly Socket _listener = Listening.OnLoopback();
    private readonly EventLoopTimer _acceptAgain;
    private EventLoopRegistration? _acceptor;
    private int _next;

    public EchoServer(int loops)
    {
        _group = new EventLoopGroup(loops, new EventLoopOptions { Name = "echo" });
        _loops = [.. Enumerable.Range(0, loops).Select(i => new EchoLoop(_group.Loops[i]))];
        _acceptAgain = new EventLoopTimer(First, static server => ((EchoServer)server!).SetAccepting(true), this);
        First.UnsafePost(static server => ((EchoServer)server!).Start(), this);
    }

    public int Port => ((IPEndPoint)_listener.LocalEndPoint!).Port;

    private EventLoop First => _group.Loops[0];

    public async Task<EchoReport> StopAsync()
    {
        await First.InvokeAsync(StopAccepting);

        // After everything that was handed to a loop before: callbacks keep their order.
        foreach (EchoLoop loop in _loops)
        {
            await loop.Loop.InvokeAsync(loop.AbortAll);
        }

        LoopCounts[] counts = [.. _loops.Select(l => l.Counts)];
        long allocated = 0;
        foreach (EchoLoop loop in _loops)
        {
            allocated += await loop.Loop.InvokeAsync(() => loop.Counts.Allocated);
        }

        return new EchoReport(
            "eventloop", counts.Sum(c => c.Messages), counts.Sum(c => c.Bytes), counts.Sum(c => c.Connections), allocated);
    }

    public async ValueTask DisposeAsync()
    {
        await _group.DisposeAsync();
        _acceptAgain.Dispose();
        _listener.Dispose();
    }

    private void Start() => _acceptor = First.Register(
        _listener.SafeHandle, EventLoopInterest.Read, static (_, server) => ((EchoServer)server!).Accept(), this);

    private void StopAccepting()
    {
        _acceptAgain.Cancel();
        _acceptor?.Dispose();
        _acceptor = null;
        _listener.Dispose();
    }

    private void Accept()
    {
        using LoopCounts.Exclusion excluded = _loops[0].Counts.Excluded();
        try
        {
            while (_acceptor!.TryAccept(out SafeSocketHandle? accepted))
            {
                _loops[_next++ % _loops.Length].Adopt(accepted!);
            }
        }
        catch (IOException)
        {
            // Out of descriptors, most likely. The listener stays ready, and asking again at once would only burn CPU.
            SetAccepting(false);
            _acceptAgain.Arm(s_acceptPause);
        }
    }

    private void SetAccepting(bool accepting) =>
        _acceptor!.Interest = accepting ? EventLoopInterest.Read : EventLoopInterest.None;
}
