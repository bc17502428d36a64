using System.Runtime.ExceptionServices;
using NativeThreading.Async;
using NativeThreading.Threads;

namespace NativeThreading.Workers;

/// <summary>
/// The context of an item that goes on with an operation: it runs under the pool's scheduler and with a
/// <see cref="PoolSynchronizationContext"/>. A pool has one without an execution context, which most items share.
/// </summary>
internal sealed class Resumption(NativeThreadPool pool, ExecutionContext? context) : ItemContext
{
    /// <summary>What flows to the callback, or <see langword="null"/>: it brings its own.</summary>
    public ExecutionContext? Context { get; } = context;

    public override bool MayBeDropped => false;

    public override void Run(Worker worker, Action<object?> callback, object? state) => worker.Carrier.Resume(this, callback, state);

    public override void RunElsewhere(Action<object?> callback, object? state)
    {
        ExceptionDispatchInfo? failure = null;
        new InPlaceTask(
            _ =>
            {
                SynchronizationContext.SetSynchronizationContext(new PoolSynchronizationContext(pool));
                if (Context is not null)
                {
                    ExecutionContext.Restore(Context);
                }

                try
                {
                    callback(state);
                }
                catch (Exception exception)
                {
                    failure = ExceptionDispatchInfo.Capture(exception);
                }
            },
            null).Start(pool.Scheduler);
        failure?.Throw(); // a raw callback's: not the task's
    }
}
