using System.Net;
using System.Net.Sockets;

namespace NativeThreading.Tables.HandOver;

/// <summary>How a callback blocks, until it is let go.</summary>
internal abstract class BlockingWay(string name) : IDisposable
{
    public string Name => name;

    /// <summary>On the measuring thread, before each block.</summary>
    public virtual void Prepare()
    {
    }

    /// <summary>In the callback.</summary>
    public abstract void Block();

    /// <summary>On the measuring thread, when the loop has gone on.</summary>
    public abstract void LetGo();

    public virtual void Dispose()
    {
    }
}

/// <summary>It sleeps, for longer than any hand-over takes. One that took longer would be counted as that time.</summary>
internal sealed class BlockingSleep() : BlockingWay("sleep")
{
    private static readonly TimeSpan s_time = TimeSpan.FromMilliseconds(100);

    public override void Block() => Thread.Sleep(s_time);

    public override void LetGo()
    {
    }
}

/// <summary>It waits for a lock that another thread has.</summary>
internal sealed class BlockingLock() : BlockingWay("lock")
{
    private readonly Lock _lock = new();

    public override void Prepare() => _lock.Enter();

    public override void Block()
    {
        using Lock.Scope held = _lock.EnterScope();
    }

    public override void LetGo() => _lock.Exit();
}

/// <summary>It reads from a socket, synchronously.</summary>
internal sealed class BlockingRead : BlockingWay
{
    private readonly Socket _reads, _writes;

    public BlockingRead()
        : base("read")
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        _writes = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        _writes.Connect(listener.LocalEndPoint!);
        _reads = listener.Accept();
    }

    public override void Block()
    {
        if (_reads.Receive(stackalloc byte[1]) != 1)
        {
            throw new MeasurementException("the socket was closed.");
        }
    }

    public override void LetGo() => _writes.Send([0]);

    public override void Dispose()
    {
        _reads.Dispose();
        _writes.Dispose();
        base.Dispose();
    }
}

/// <summary>It says beforehand that it will block: nothing has to be proven.</summary>
internal sealed class BlockingInRegion() : BlockingWay("region")
{
    private readonly AutoResetEvent _event = new(initialState: false);

    public override void Block()
    {
        using (NativeThreadPool.EnterBlockingRegion())
        {
            _event.WaitOne();
        }
    }

    public override void LetGo() => _event.Set();

    public override void Dispose()
    {
        _event.Dispose();
        base.Dispose();
    }
}
