using System.Net;
using System.Net.Sockets;

namespace NativeThreading.Workloads.Blocked;

/// <summary>A way to block threads, and to let them go again.</summary>
internal abstract class Blocker : IDisposable
{
    /// <summary>Blocks the calling thread until <see cref="Release"/>.</summary>
    public abstract void Block();

    /// <summary>Lets all go, also those that come later.</summary>
    public abstract void Release();

    public virtual void Dispose()
    {
    }
}

/// <summary>In a kernel event.</summary>
internal sealed class EventBlocker : Blocker
{
    private readonly ManualResetEvent _event = new(initialState: false);

    public override void Block() => _event.WaitOne();

    public override void Release() => _event.Set();
}

/// <summary>At a lock that another thread holds.</summary>
internal sealed class LockBlocker : Blocker
{
    private readonly object _lock = new();

    public LockBlocker() => Monitor.Enter(_lock);

    public override void Block()
    {
        lock (_lock)
        {
        }
    }

    public override void Release() => Monitor.Exit(_lock);
}

/// <summary>In Thread.Sleep, from which an interruption is the only way out before the time.</summary>
internal sealed class SleepBlocker : Blocker
{
    private readonly List<Thread> _sleepers = [];
    private bool _released;

    public override void Block()
    {
        try
        {
            lock (_sleepers)
            {
                if (_released)
                {
                    return;
                }

                _sleepers.Add(Thread.CurrentThread);
            }

            Thread.Sleep(Timeout.Infinite);
        }
        catch (ThreadInterruptedException)
        {
            // Released.
        }
    }

    public override void Release()
    {
        lock (_sleepers)
        {
            _released = true;
            _sleepers.ForEach(static sleeper => sleeper.Interrupt());
        }
    }
}

/// <summary>In a blocking read of a TCP connection that stays silent; one connection per thread.</summary>
internal sealed class SocketBlocker : Blocker
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly List<Socket> _connections = [];
    private bool _released;

    public SocketBlocker() => _listener.Start(512);

    public override void Block()
    {
        using var here = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        lock (_connections)
        {
            if (_released)
            {
                return;
            }

            here.Connect(_listener.LocalEndpoint);
            _connections.Add(_listener.AcceptSocket());
        }

        here.Receive(new byte[1]);
    }

    public override void Release()
    {
        lock (_connections)
        {
            _released = true;
            _connections.ForEach(static connection => connection.Dispose());
        }
    }

    public override void Dispose()
    {
        _listener.Dispose();
        base.Dispose();
    }
}
