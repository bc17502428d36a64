using System.IO.Pipelines;

namespace NativeThreading.Kestrel.Transport;

/// <summary>Runs callbacks on a loop. They are never rejected: after the end of the loop they run on the built-in pool, one at a time, so that every
/// connection can be closed.</summary>
/// <param name="loop">The loop.</param>
/// <param name="handsOver">Whether another thread takes the loop over while a callback blocks.</param>
internal sealed class LoopScheduler(EventLoop loop, bool handsOver) : PipeScheduler
{
    private SendOrPostCallback? _last; // a pipe always schedules the same few delegates

    public EventLoop Loop => loop;

    public bool HandsOver => handsOver;

    public override void Schedule(Action<object?> action, object? state)
    {
        SendOrPostCallback? callback = Volatile.Read(ref _last); // pairs with the write: its target is read through it
        if (callback is null || !ReferenceEquals(callback.Target, action))
        {
            callback = new SendOrPostCallback(action);
            Volatile.Write(ref _last, callback);
        }

        loop.SynchronizationContext.Post(callback, state);
    }

    /// <summary>Runs a callback after the loop has polled its descriptors, so that other connections have their turn.</summary>
    public void ScheduleAfterPoll(Action<object?> callback, object? state)
    {
        try
        {
            loop.UnsafePostAfterPoll(callback, state);
        }
        catch (ObjectDisposedException)
        {
            Schedule(callback, state);
        }
    }

    /// <summary>Whether a call failed because another thread has taken the loop over, which may happen in the middle of any callback, also between a
    /// read of <see cref="EventLoop.IsInLoop"/> and the call. A new callback must then repeat the call.</summary>
    public bool WasTakenOver(Exception exception) => exception is InvalidOperationException and not ObjectDisposedException && !loop.IsInLoop;
}
