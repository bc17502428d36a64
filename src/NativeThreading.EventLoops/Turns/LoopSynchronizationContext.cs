using NativeThreading.Platform;
using NativeThreading.Queues;

namespace NativeThreading.EventLoops.Turns;

/// <summary>Posts to a loop, so that awaits on the loop's thread resume there.</summary>
internal sealed class LoopSynchronizationContext(EventLoop loop) : SynchronizationContext
{
    public override void Post(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        loop.PostContinuation(WorkItem.AsCallback(d), state);
    }

    public override void Send(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        if (loop.Lifecycle.IsRunningHere)
        {
            d(state);
            return;
        }

        Completion.Wait(Task.Factory.StartNew(
            new Action<object?>(d), state, CancellationToken.None, TaskCreationOptions.DenyChildAttach, loop.Scheduler));
    }

    /// <summary>An async void method has started; the loop's shutdown waits for it.</summary>
    public override void OperationStarted() => loop.Lifecycle.OperationBegan();

    public override void OperationCompleted() => loop.Lifecycle.OperationEnded();

    public override SynchronizationContext CreateCopy() => this;
}
