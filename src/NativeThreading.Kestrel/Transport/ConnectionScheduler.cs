using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using NativeThreading.Kestrel.Adaptive;

namespace NativeThreading.Kestrel.Transport;

/// <summary>Runs the application of one connection on its loop, until HTTP/2 is recognized. Kestrel queues each request of HTTP/2 to the built-in
/// pool, and a loop that parses its frames would send every response over two threads.</summary>
internal sealed class ConnectionScheduler(PipeScheduler loop) : PipeScheduler
{
    private PipeScheduler _target = loop;

    public bool IsOnLoop => Volatile.Read(ref _target) != ThreadPool;

    private static ReadOnlySpan<byte> Http2Preface => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8;

    /// <summary>Checks the first bytes. A client that sends less than "PRI " at first is not recognized, and stays on the loop.</summary>
    public void Begin(ReadOnlySpan<byte> first)
    {
        int count = Math.Min(first.Length, Http2Preface.Length);
        if (count >= "PRI ".Length && first[..count].SequenceEqual(Http2Preface[..count]))
        {
            MoveToRuntimePool();
        }
    }

    /// <summary>From any thread. Callbacks that are scheduled already stay on the loop.</summary>
    public void MoveToRuntimePool() => Volatile.Write(ref _target, ThreadPool);

    public override void Schedule(Action<object?> action, object? state) => Volatile.Read(ref _target).Schedule(action, state);
}

/// <summary>Schedules the reads of a measured connection, and so decides where its next request starts: on the loop, or on the built-in pool if the
/// last requests have ended there alone. Other reads of Kestrel, as those of a body, complete on the loop. Only the one reader decides; the loop
/// schedules.</summary>
internal sealed class NextRequest(ConnectionScheduler application, SynchronizationContext loop) : PipeScheduler
{
    private readonly SaturatingCounter _ends = new(Learning.ProofOfEnds);
    private bool _startsElsewhere;

    /// <summary>Called before a read. The transport of the connection is another object if TLS or other code reads from it.</summary>
    public void Expect(ConnectionContext connection)
    {
        bool starts = EndOfRequest.IsHere && Thread.CurrentThread.IsThreadPoolThread && ReferenceEquals(connection.Transport, connection) && EndsAlone();
        if (starts != _startsElsewhere)
        {
            Volatile.Write(ref _startsElsewhere, starts);
        }
    }

    public override void Schedule(Action<object?> action, object? state)
    {
        if (Volatile.Read(ref _startsElsewhere) && application.IsOnLoop)
        {
            RuntimePoolStart.Queue(loop, _ends, action, state);
        }
        else
        {
            application.Schedule(action, state);
        }
    }

    private bool EndsAlone()
    {
        _ends.Add(RuntimePoolStart.IsAlone(_ends.Holds));
        return _ends.Holds;
    }
}

/// <summary>Runs the sender of a measured connection: on its loop, or on the built-in pool after the code there that has flushed. A loop that is
/// awake would send at once, and the end of the response separately.</summary>
internal sealed class SenderScheduler(ConnectionScheduler application) : PipeScheduler
{
    public override void Schedule(Action<object?> action, object? state)
    {
        if (application.IsOnLoop && Thread.CurrentThread.IsThreadPoolThread)
        {
            System.Threading.ThreadPool.UnsafeQueueUserWorkItem(action, state, preferLocal: true);
        }
        else
        {
            application.Schedule(action, state);
        }
    }
}
