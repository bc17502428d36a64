using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Starvation;

/// <summary>Items that block at random, while workers are replaced, come back, park and retire: each runs exactly once.</summary>
[Trait("Category", "Soak")]
public sealed class BlockingConservationTests : SoakTest
{
    [Theory]
    [InlineData(1, 1_000, true)]
    [InlineData(2, 1_000, true)]
    [InlineData(2, 5, false)] // where threads are few, items that wait for items wait indefinitely
    [InlineData(4, 20, false)]
    public void T39_EveryItemRunsOnce_AndThePoolComesToRest(int maxThreads, int maxBlocked, bool waitForItems)
    {
        const int items = 3_000;
        NativeThreadPool pool = NewPool(maxThreads, options =>
        {
            options.MaxBlockedThreads = maxBlocked;
            options.IdleTimeout = TimeSpan.FromMilliseconds(5);
        });
        int[] ran = new int[items];
        using var ended = new CountdownEvent(items);
        var random = new Random(maxThreads + maxBlocked);
        for (int i = 0; i < items; i++)
        {
            int kind = random.Next(40);
            int item = i;
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    if (kind == 0)
                    {
                        Thread.Sleep(5);
                    }
                    else if (kind == 1)
                    {
                        using (NativeThreadPool.EnterBlockingRegion())
                        {
                            Thread.Sleep(1);
                        }
                    }
                    else if (kind == 2 && waitForItems)
                    {
                        Endless.Wait(pool.Run(static async () => await Task.Yield()));
                    }

                    Interlocked.Increment(ref ran[item]);
                    ended.Signal();
                },
                (object?)null,
                preferLocal: false);
        }

        Deadline.Wait(ended);
        Assert.All(ran, static count => Assert.Equal(1, count));
    }
}
