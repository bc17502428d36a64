using System.IO.Pipelines;

namespace NativeThreading.Integration.Pipelines;

/// <summary>A pipe's callbacks as raw items of the pool: in order, without a context (T105).</summary>
internal sealed class PoolPipeScheduler(NativeThreadPool pool) : PipeScheduler
{
    public override void Schedule(Action<object?> action, object? state) =>
        pool.UnsafeQueueUserWorkItem(action, state, preferLocal: false);
}
