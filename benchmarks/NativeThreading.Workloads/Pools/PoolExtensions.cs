using System.Runtime.CompilerServices;

namespace NativeThreading.Workloads;

/// <summary>What workloads do with any pool.</summary>
internal static class PoolExtensions
{
    /// <summary>For a wait that ends soon or never.</summary>
    public static readonly TimeSpan Deadline = TimeSpan.FromSeconds(30);

    /// <summary>An item that is an action, for items that take long.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void UnsafeQueue<TPool>(this TPool pool, Action work)
        where TPool : IPool => pool.UnsafeQueue(static work => ((Action)work!)(), work);

    /// <summary>Has all workers running at the same moment, so that every thread exists from then on.</summary>
    public static void Fill<TPool>(this TPool pool, int workers)
        where TPool : IPool
    {
        var running = new CountdownEvent(workers);
        var release = new ManualResetEventSlim();
        for (int i = 0; i < workers; i++)
        {
            pool.UnsafeQueue(() =>
            {
                running.Signal();
                release.Wait(Deadline);
            });
        }

        bool filled = running.Wait(Deadline);
        release.Set();
        if (!filled)
        {
            throw new MeasurementException($"{pool.Name}: {running.CurrentCount} of {workers} workers did not start within {Deadline.TotalSeconds} s.");
        }
    }
}
