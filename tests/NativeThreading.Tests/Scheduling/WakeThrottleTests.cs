using System.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Scheduling;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>A worker that runs short items from outside keeps producers from waking others while all processors have something to do. If one of
/// these items blocks, the others must start all the same.</summary>
[Trait("Category", "Soak")]
public sealed class WakeThrottleTests : SoakTest
{
    private const int Short = 1_000;

    /// <summary>How an item blocks.</summary>
    public enum Block
    {
        /// <summary>Without the pool's knowledge: the sentinel ends the throttle.</summary>
        Hidden,

        /// <summary>In a blocking region: the worker ends it at once.</summary>
        Region,

        /// <summary>In a wait for items of the same pool.</summary>
        Group,
    }

    [Theory]
    [InlineData(Block.Hidden)]
    [InlineData(Block.Region)]
    [InlineData(Block.Group)]
    public void ItemsBehindOneThatBlocks_StartWithinMilliseconds(Block block)
    {
        // As many workers block as there are processors beyond two: they count as running.
        int blocked = Math.Max(LingerBudget.UsableProcessors - 2, 0);
        NativeThreadPool pool = NewFullPool(blocked + 4);
        using var release = new ManualResetEventSlim();
        for (int i = 0; i < blocked; i++)
        {
            pool.UnsafeQueueUserWorkItem(_ => release.Wait(Deadline.Time), null);
        }

        var delays = new List<double>();
        for (int round = 0; round < 31; round++)
        {
            long last = pool.Probe.LastThrottle;
            Deadline.Until(() =>
            {
                QueueShortItems(pool);
                return pool.Probe.LastThrottle != last;
            });

            using var go = new ManualResetEventSlim();
            using var blocks = new ManualResetEventSlim();
            var held = new WorkGroup(pool);
            held.Queue(static state => ((ManualResetEventSlim)state!).Wait(Deadline.Time), go);
            using var left = new ManualResetEventSlim();
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    BlockIn(block, held, blocks, go);
                    left.Set();
                },
                null);
            using var behind = new CountdownEvent(Short);
            for (int i = 0; i < Short; i++)
            {
                pool.UnsafeQueueUserWorkItem(_ => behind.Signal(), null);
            }

            Deadline.Wait(blocks);
            long began = Stopwatch.GetTimestamp();
            Deadline.Wait(behind); // while both items still block
            delays.Add(Stopwatch.GetElapsedTime(began).TotalMilliseconds);
            go.Set();
            held.Wait();
            Deadline.Wait(left); // it may lose its processor before it waits for go, which ends with this round
        }

        release.Set();
        delays.Sort();
        Assert.InRange(delays[delays.Count / 2], 0, 30); // one or two milliseconds; a worker found blocked by the monitor takes far longer
    }

    [Fact]
    public void PoolThatHasThrottledWakes_ComesToRest()
    {
        NativeThreadPool pool = NewFullPool(4);
        for (int i = 0; i < 100; i++)
        {
            QueueShortItems(pool);
        }

        Deadline.Until(() => pool.Probe.IsAtRest); // without a sentinel
    }

    private static void QueueShortItems(NativeThreadPool pool)
    {
        var items = new WorkGroup(pool);
        for (int i = 0; i < Short; i++)
        {
            items.Queue(static _ => { }, (object?)null);
        }

        items.Wait();
    }

    private static void BlockIn(Block block, WorkGroup held, ManualResetEventSlim blocks, ManualResetEventSlim go)
    {
        blocks.Set();
        switch (block)
        {
            case Block.Region:
                using (NativeThreadPool.EnterBlockingRegion())
                {
                    go.Wait(Deadline.Time);
                }

                break;
            case Block.Group:
                held.Wait(Deadline.Time);
                break;
            default:
                go.Wait(Deadline.Time);
                break;
        }
    }
}
