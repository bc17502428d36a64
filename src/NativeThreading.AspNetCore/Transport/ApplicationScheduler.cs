using System.IO.Pipelines;

namespace NativeThreading.AspNetCore.Transport;

/// <summary>
/// Runs what an application waits for on a pool, and under the pool's context, so that what it awaits comes back to the pool as
/// well. A direction of a connection has one callback at a time: no order between callbacks is needed here.
/// </summary>
internal sealed class ApplicationScheduler(NativeThreadPool pool, SynchronizationContext context) : PipeScheduler
{
    public static ApplicationScheduler Of(NativeThreadPool pool) =>
        new(pool, pool.Run(static () => SynchronizationContext.Current!).GetAwaiter().GetResult());

    public override void Schedule(Action<object?> action, object? state) =>
        pool.UnsafeQueueContinuation(static call => call.Run(), new Call(context, action, state), preferLocal: false);

    private sealed class Call(SynchronizationContext context, Action<object?> action, object? state)
    {
        public void Run()
        {
            SynchronizationContext? before = SynchronizationContext.Current;
            SynchronizationContext.SetSynchronizationContext(context);
            try
            {
                action(state);
            }
            finally
            {
                SynchronizationContext.SetSynchronizationContext(before);
            }
        }
    }
}
