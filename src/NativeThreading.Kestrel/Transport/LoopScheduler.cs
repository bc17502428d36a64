using System.IO.Pipelines;

namespace NativeThreading.Kestrel.Transport;

/// <summary>
/// Runs callbacks on a loop. They are continuations, so they are never refused: where the loop has gone they run on the
/// runtime's pool, one at a time, and no connection waits for ever to be closed.
/// </summary>
/// <param name="loop">Where callbacks run.</param>
/// <param name="handsOver">Whether another thread takes the loop over while a callback blocks.</param>
internal sealed class LoopScheduler(EventLoop loop, bool handsOver) : PipeScheduler
{
    private SendOrPostCallback? _last; // a pipe always schedules the same few delegates; whoever reads another one makes it anew

    public EventLoop Loop => loop;

    public bool HandsOver => handsOver;

    public override void Schedule(Action<object?> action, object? state)
    {
        SendOrPostCallback? callback = Volatile.Read(ref _last); // the write's partner: its target is read through it
        if (callback is null || !ReferenceEquals(callback.Target, action))
        {
            callback = new SendOrPostCallback(action);
            Volatile.Write(ref _last, callback);
        }

        loop.SynchronizationContext.Post(callback, state);
    }
}
