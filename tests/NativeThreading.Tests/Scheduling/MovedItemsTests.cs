using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>
/// T9: a worker moves a batch into its own lane, or steals one, and then blocks in the first item: the others, which
/// now are in a queue that every worker has searched already, still run.
/// </summary>
[Trait("Category", "Soak")]
public sealed class MovedItemsTests : SoakTest
{
    public static TheoryData<int, string> Shapes()
    {
        var shapes = new TheoryData<int, string>();
        foreach (int threads in (int[])[2, 4])
        {
            foreach (string from in (string[])["outside", "deque", "lane"])
            {
                shapes.Add(threads, from);
            }
        }

        return shapes;
    }

    [Theory]
    [MemberData(nameof(Shapes))]
    public void T9_FirstOfABatchBlocksUntilTheOthersHaveRun(int threads, string from)
    {
        NativeThreadPool pool = NewFullPool(threads);
        var random = new Random(9);
        for (Budget budget = Budget.Of(250); budget.HasTime;)
        {
            var batch = new Batch(random.Next(2, 90));
            Spin(random.NextInt64(2 * Math.Max(1, pool.Probe.LingerTicks)));
            long started = Stopwatch.GetTimestamp();
            if (from == "outside")
            {
                batch.QueueTo(pool, preferLocal: false);
            }
            else
            {
                pool.UnsafeQueueUserWorkItem(_ => batch.QueueTo(pool, preferLocal: from == "deque"), null);
            }

            AssertSoon(() => batch.IsDone, started);
        }
    }

    [Fact]
    public void T3_LoneLocalItem_OfAWorkerThatBlocksOnIt_IsStolen()
    {
        NativeThreadPool pool = NewFullPool(2);
        var random = new Random(3);
        for (Budget budget = Budget.Of(400); budget.HasTime;)
        {
            var batch = new Batch(2);
            long pause = random.NextInt64(2 * Math.Max(1, pool.Probe.LingerTicks));
            long started = Stopwatch.GetTimestamp();
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    pool.UnsafeQueueUserWorkItem(static batch => batch.Run(), batch, preferLocal: true);
                    Spin(pause);
                    batch.Run();
                },
                null);
            AssertSoon(() => batch.IsDone, started);
        }
    }

    /// <summary>Items of which the first that runs blocks until all the others have.</summary>
    private sealed class Batch(int count)
    {
        private readonly TaskCompletionSource _othersDone = new();
        private int _started;
        private int _ended;

        public bool IsDone => Volatile.Read(ref _ended) == count;

        public void QueueTo(NativeThreadPool pool, bool preferLocal)
        {
            for (int i = 0; i < count; i++)
            {
                pool.UnsafeQueueUserWorkItem(static batch => batch.Run(), this, preferLocal);
            }
        }

        public void Run()
        {
            if (Interlocked.Increment(ref _started) == 1)
            {
                Deadline.Wait(_othersDone.Task);
            }

            // The blocked one does not count itself until it continues.
            if (Interlocked.Increment(ref _ended) == count - 1)
            {
                _othersDone.SetResult();
            }
        }
    }
}
