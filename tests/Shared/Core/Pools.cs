using System.Diagnostics;

namespace NativeThreading.Tests.Support;

/// <summary>Pools as tests need them.</summary>
internal static class Pools
{
    /// <summary>A pool with that many threads at most, blocked or not; they stay.</summary>
    public static NativeThreadPool WithThreads(int maxThreads, string name = "test") => new(new NativeThreadPoolOptions
    {
        Name = name,
        MaxThreads = maxThreads,
        MinThreads = maxThreads,
        MaxBlockedThreads = 0,
    });

    extension(NativeThreadPool pool)
    {
        /// <summary>What tests ask of its parts.</summary>
        public PoolProbe Probe => new(pool);

        /// <summary>Waits until no worker runs and no item waits.</summary>
        public void WaitUntilQuiet() => Deadline.Until(() => pool.Probe.IsQuiet, () => $"the pool becomes quiet ({pool.Probe})");

        /// <summary>
        /// Waits until the last worker to go idle has looked once more, a second later, and has parked again: it would find by itself what a
        /// test is about to lose. If that was before the call, no worker parks for three times as long.
        /// </summary>
        public void WaitUntilLateLookIsOver()
        {
            Deadline.Until(() => pool.Probe.IsAtRest, () => $"the pool comes to rest ({pool.Probe})");
            long before = pool.Probe.Parks;
            long began = Stopwatch.GetTimestamp();
            Deadline.Until(
                () => (pool.Probe.Parks != before && pool.Probe.IsAtRest) || Stopwatch.GetElapsedTime(began) > 3 * PoolProbe.RequestExpiry,
                () => $"the late look is over ({pool.Probe})");
        }
    }

    /// <summary>
    /// Runs a function on a worker of the pool, as a raw item in the default execution context, and waits for what it
    /// returns.
    /// </summary>
    public static T OnWorker<T>(this NativeThreadPool pool, Func<T> function)
    {
        var result = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        pool.UnsafeQueueUserWorkItem(_ =>
        {
            try
            {
                result.SetResult(function());
            }
            catch (Exception exception)
            {
                result.SetException(exception);
            }
        }, null);
        return Deadline.Result(result.Task, "the item on a worker");
    }

    /// <inheritdoc cref="OnWorker{T}"/>
    public static void OnWorker(this NativeThreadPool pool, Action action) => pool.OnWorker(() =>
    {
        action();
        return true;
    });
}
