using System.IO.Pipelines;

namespace NativeThreading.AspNetCore.Transport;

/// <summary>
/// Runs callbacks on a loop. They are continuations, so they are never refused: where the loop has gone they run on the
/// runtime's pool, one at a time, and no connection waits for ever to be closed.
/// </summary>
internal sealed class LoopScheduler(EventLoop loop) : PipeScheduler
{
    public EventLoop Loop => loop;

    public override void Schedule(Action<object?> action, object? state) =>
        loop.SynchronizationContext.Post(new SendOrPostCallback(action), state);
}
