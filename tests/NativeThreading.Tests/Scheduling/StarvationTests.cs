using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>No item waits for long because a worker always has items of its own to run.</summary>
[Trait("Category", "Soak")]
public sealed class StarvationTests : SoakTest
{
    // An item from outside waits for one look to be fetched into the lane and for one more to be run from there.
    private const int MaxPicks = 2 * 64;

    private long _steps;
    private volatile bool _stop;

    [Theory, CombinatorialBooleans]
    public void T28_WorkerThatFeedsItself_RunsAnOutsideItemWithin128Steps(bool preferLocal)
    {
        NativeThreadPool pool = NewPool(1);
        StartChain(pool, preferLocal);
        long worst = 0;
        foreach (int _ in Soak.Repeat(2_000))
        {
            long ranAt = 0;
            pool.UnsafeQueueUserWorkItem(_ => Volatile.Write(ref ranAt, Volatile.Read(ref _steps)), null);
            long queuedAt = Volatile.Read(ref _steps);
            Deadline.Until(() => Volatile.Read(ref ranAt) != 0);
            worst = Math.Max(worst, ranAt - queuedAt);
        }

        _stop = true;
        Assert.InRange(worst, 0, MaxPicks + 1);
    }

    [Fact]
    public void T28_WorkerThatFeedsItsDeque_RunsItsOwnLaneWithin64Steps()
    {
        NativeThreadPool pool = NewPool(1);
        StartChain(pool, preferLocal: true);
        long worst = 0;
        foreach (int _ in Soak.Repeat(2_000))
        {
            long ranAt = 0, queuedAt = 0;
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    queuedAt = _steps;
                    pool.UnsafeQueueUserWorkItem(_ => Volatile.Write(ref ranAt, _steps + 1), (object?)null, preferLocal: false);
                },
                null);
            Deadline.Until(() => Volatile.Read(ref ranAt) != 0);
            worst = Math.Max(worst, ranAt - 1 - queuedAt);
        }

        _stop = true;
        Assert.InRange(worst, 0, (MaxPicks / 2) + 1);
    }

    [Fact]
    public void T28_LongItems_AreCountedByTimeNotByNumber()
    {
        // Each step takes about a millisecond, so that a look is due after every one or two of them, not after 64.
        NativeThreadPool pool = NewPool(1);
        StartChain(pool, preferLocal: true, stepTicks: System.Diagnostics.Stopwatch.Frequency / 1_000);
        Deadline.Until(() => Volatile.Read(ref _steps) > 100); // the worker has learnt how long its items are
        long worst = 0;
        for (int i = 0; i < 50; i++)
        {
            long ranAt = 0;
            pool.UnsafeQueueUserWorkItem(_ => Volatile.Write(ref ranAt, _steps), null);
            long queuedAt = Volatile.Read(ref _steps);
            Deadline.Until(() => Volatile.Read(ref ranAt) != 0);
            worst = Math.Max(worst, ranAt - queuedAt);
        }

        _stop = true;
        Assert.InRange(worst, 0, 8);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(4)]
    public void T27_LocalItemsOfABlockedWorker_AreTakenByWorkersThatHaveEnoughOfTheirOwn(int threads)
    {
        NativeThreadPool pool = NewFullPool(threads);
        for (int i = 1; i < threads; i++)
        {
            StartChain(pool, preferLocal: true);
        }

        for (int round = 0; round < 20; round++)
        {
            pool.OnWorker(() =>
            {
                using var left = new CountdownEvent(20);
                for (int i = 0; i < 20; i++)
                {
                    pool.UnsafeQueueUserWorkItem(static left => left.Signal(), left, preferLocal: i % 2 == 0);
                }

                Deadline.Wait(left);
            });
        }

        _stop = true;
    }

    private void StartChain(NativeThreadPool pool, bool preferLocal, long stepTicks = 0)
    {
        void Step(object? state)
        {
            Interlocked.Increment(ref _steps);
            if (stepTicks != 0)
            {
                Spin(stepTicks);
            }

            if (!_stop)
            {
                pool.UnsafeQueueUserWorkItem(Step, state, preferLocal);
            }
        }

        pool.UnsafeQueueUserWorkItem(Step, null);
    }
}
