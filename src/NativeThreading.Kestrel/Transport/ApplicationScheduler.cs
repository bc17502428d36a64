using System.IO.Pipelines;

namespace NativeThreading.Kestrel.Transport;

/// <summary>
/// Runs what an application waits for on a pool, and under the pool's context, so that what it awaits comes back to the pool as
/// well. A direction of a connection has one callback at a time, so the order in which a pool begins its items is order enough.
/// </summary>
internal sealed class ApplicationScheduler : PipeScheduler
{
    private readonly SynchronizationContext _context;

    private ApplicationScheduler(NativeThreadPool pool, SynchronizationContext context) => (Pool, _context) = (pool, context);

    public NativeThreadPool Pool { get; }

    /// <summary>Asks an async function of the pool for its context, which nobody else sees.</summary>
    public static async Task<ApplicationScheduler> OfAsync(NativeThreadPool pool) =>
        new(pool, await pool.RunAsync(static () => Task.FromResult(SynchronizationContext.Current!)).ConfigureAwait(false));

    /// <summary>Continues work on the pool. Never rejected, or a connection would wait indefinitely.</summary>
    public override void Schedule(Action<object?> action, object? state) =>
        Pool.UnsafeQueueContinuation(static call => call.Run(), new Call(_context, action, state), preferLocal: false);

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
