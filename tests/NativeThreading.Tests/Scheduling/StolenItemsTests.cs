using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>What becomes of items that a worker takes from another.</summary>
public sealed class StolenItemsTests
{
    /// <summary>They go into the thief's own deque: the newest of them first, as their first owner would have run them.</summary>
    [Fact]
    public void StolenLocalItems_StayLocal()
    {
        const int Items = 100; // a thief takes half
        using NativeThreadPool pool = Pools.WithThreads(2);
        using var isPushed = new ManualResetEventSlim();
        using var thiefIsBusy = new ManualResetEventSlim();
        using var ran = new ManualResetEventSlim();
        int first = -1;
        pool.UnsafeQueueUserWorkItem(
            _ =>
            {
                thiefIsBusy.Set();
                Deadline.Wait(isPushed);
            },
            null);
        Deadline.Wait(thiefIsBusy);
        pool.OnWorker(() =>
        {
            int owner = Environment.CurrentManagedThreadId;
            for (int i = 0; i < Items; i++)
            {
                int number = i;
                pool.UnsafeQueueUserWorkItem(
                    _ =>
                    {
                        if (Environment.CurrentManagedThreadId != owner)
                        {
                            Interlocked.CompareExchange(ref first, number, -1);
                            ran.Set();
                        }
                    },
                    (object?)null,
                    preferLocal: true);
            }

            isPushed.Set();
            Deadline.Wait(ran); // and takes nothing itself
        });
        Assert.Equal((Items / 2) - 1, first);
    }
}
