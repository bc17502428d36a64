using System.IO.Pipelines;

namespace NativeThreading.Kestrel.Transport;

/// <summary>
/// Where the application runs on one connection: on its loop, until it is known that HTTP/2 is spoken. Kestrel queues each request of that
/// to the runtime's pool, and what parses its frames on a loop would send every answer over two threads.
/// </summary>
internal sealed class ConnectionScheduler(PipeScheduler loop) : PipeScheduler
{
    private PipeScheduler _target = loop;

    /// <summary>Whether the application runs on the loop still.</summary>
    public bool IsOnLoop => Volatile.Read(ref _target) != ThreadPool;

    /// <summary>From any thread; what is scheduled already stays where it is.</summary>
    public void MoveToRuntimePool() => Volatile.Write(ref _target, ThreadPool);

    public override void Schedule(Action<object?> action, object? state) => Volatile.Read(ref _target).Schedule(action, state);
}
