using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Limits;

/// <summary>Many producers of all kinds: each accepted item runs once, the limit is never exceeded, no caller is left waiting.</summary>
public sealed class LimitSoakTests : SoakTest
{
    private const int Producers = 8;
    private const int ItemsPerProducer = 2_000;

    [Theory]
    [InlineData(1, 1)]
    [InlineData(1, 4)]
    [InlineData(3, 2)]
    [InlineData(100, 2)]
    public void WaitingProducers_LoseNothing_InTheirOrder(int limit, int threads)
    {
        NativeThreadPool pool = LimitedPool(limit, threads, QueueFullMode.Wait);
        var run = new Run(pool, limit);
        int accepted = 0;
        StartGate.Run(Producers, producer =>
        {
            foreach (int i in Soak.Repeat(ItemsPerProducer))
            {
                run.Queue(producer, i, (producer + i) % 4);
                Interlocked.Increment(ref accepted);
            }
        });
        run.AssertEveryAcceptedItemRanOnce(accepted);
        if (threads == 1)
        {
            run.AssertOrderOfEachProducer();
        }
    }

    [Theory]
    [InlineData(QueueFullMode.Reject)]
    [InlineData(QueueFullMode.RunOnCaller)]
    public void RefusingPools_RunExactlyWhatTheyAccepted(QueueFullMode mode)
    {
        NativeThreadPool pool = LimitedPool(4, threads: 2, mode);
        var run = new Run(pool, 4);
        int accepted = 0;
        StartGate.Run(Producers, producer =>
        {
            for (int i = 0; i < ItemsPerProducer; i++)
            {
                try
                {
                    run.Queue(producer, i, i % 2 * 2);
                    Interlocked.Increment(ref accepted);
                }
                catch (QueueFullException)
                {
                    Assert.Equal(QueueFullMode.Reject, mode);
                }
            }
        });
        run.AssertEveryAcceptedItemRanOnce(accepted);
        Assert.True(mode == QueueFullMode.Reject || accepted == Producers * ItemsPerProducer);
    }

    [Fact]
    public void TokensCancelledAtAnyMoment_NeitherLoseAPermitNorReleaseOneTwice()
    {
        NativeThreadPool pool = LimitedPool(2, threads: 2, QueueFullMode.Wait);
        var run = new Run(pool, 2);
        int expected = 0;
        StartGate.Run(Producers, producer =>
        {
            var random = new Random(producer);
            foreach (int round in Soak.Repeat(ItemsPerProducer / 4))
            {
                using var source = new CancellationTokenSource();
                int count = 0;
                Task task = random.Next(2) == 0
                    ? pool.RunAsync(() => Begin(), source.Token)
                    : pool.QueueAsync(_ => Begin(), null, source.Token).AsTask();
                Thread.SpinWait(random.Next(200));
                source.Cancel();
                try
                {
                    Deadline.Wait(task);
                    Interlocked.Increment(ref expected);
                }
                catch (OperationCanceledException)
                {
                    Assert.Equal(0, Volatile.Read(ref count));
                }

                void Begin()
                {
                    Interlocked.Increment(ref count);
                    run.Started();
                }
            }
        });
        run.AssertEveryAcceptedItemRanOnce(expected);
    }

    /// <summary>Entry, begin and cancellation of one task on three threads.</summary>
    [Fact]
    public void TokensCancelledWhileTheCallIsMade_NeitherLoseAPermitNorReleaseOneTwice()
    {
        const int limit = 100;
        NativeThreadPool pool = LimitedPool(limit, threads: 2, QueueFullMode.Wait);
        var sources = new CancellationTokenSource?[2];
        int left = sources.Length;
        StartGate.Run(2 * sources.Length, thread =>
        {
            ref CancellationTokenSource? slot = ref sources[thread / 2];
            var random = new Random(thread);
            if (thread % 2 != 0)
            {
                while (Volatile.Read(ref left) != 0)
                {
                    if (Interlocked.Exchange(ref slot, null) is { } source)
                    {
                        Thread.SpinWait(random.Next(30));
                        source.Cancel();
                    }
                }

                return;
            }

            foreach (int round in Soak.Repeat(50_000))
            {
                var source = new CancellationTokenSource();
                Volatile.Write(ref slot, source);
                Thread.SpinWait(random.Next(30));
                _ = pool.RunAsync(static () => { }, source.Token);
                Assert.InRange(pool.Probe.HeldPermits, 0, limit);
            }

            Interlocked.Decrement(ref left);
        });
        Deadline.Until(() => pool.PendingWorkItemCount == 0, "all items have started");
        Deadline.Until(() => pool.Probe.HeldPermits == 0, $"all permits are free ({pool.Probe.HeldPermits} are not)");
    }

    /// <summary>A task that waited for a permit may start before the thread that granted its permit takes another step.</summary>
    [Fact]
    public void TasksThatBeginAtOnce_ReleaseThePermitsThatTheyWereGranted()
    {
        const int producers = 16;
        NativeThreadPool pool = LimitedPool(1, threads: 4, QueueFullMode.Wait);
        int queued = 0;
        int ran = 0;
        StartGate.Run(producers, producer =>
        {
            foreach (int round in Soak.Repeat(300))
            {
                Interlocked.Add(ref queued, 20);
                Task[] tasks = [.. Enumerable.Range(0, 20).Select(_ => pool.RunAsync(() => Interlocked.Increment(ref ran), CancellationToken.None))];
                if (producer == 0)
                {
                    GC.Collect(0); // stops every thread wherever it is
                }

                Deadline.Wait(Task.WhenAll(tasks));
            }
        });
        Assert.Equal(queued, ran);
        Deadline.Until(() => pool.Probe.HeldPermits == 0, "all permits are free");
    }

    [Fact]
    public void ShutdownAmongWaitingProducers_EveryCallEnds_AndWhatWasAcceptedRan()
    {
        foreach (int round in Soak.Repeat(20))
        {
            var pool = new NativeThreadPool(new NativeThreadPoolOptions
            {
                Name = "closing",
                MaxThreads = 2,
                QueueLimit = 2,
                QueueFullMode = QueueFullMode.Wait,
            });
            var run = new Run(pool, 2);
            int accepted = 0;
            Task<long>? stopped = null;
            StartGate.Run(Producers + 1, producer =>
            {
                if (producer == Producers)
                {
                    Thread.SpinWait(round * 2_000);
                    stopped = pool.ShutdownAsync(CancellationToken.None);
                    return;
                }

                try
                {
                    while (true)
                    {
                        run.Queue(producer, 0, producer % 4);
                        Interlocked.Increment(ref accepted);
                    }
                }
                catch (ObjectDisposedException)
                {
                    // The one way out.
                }
            });
            Assert.Equal(0, Deadline.Result(stopped!));
            run.AssertEveryAcceptedItemRanOnce(accepted);
        }
    }

    private NativeThreadPool LimitedPool(int limit, int threads, QueueFullMode mode) => NewPool(threads, options =>
    {
        options.QueueLimit = limit;
        options.QueueFullMode = mode;
    });

    /// <summary>Counts from outside the accepted items that have not started, whatever the pool counts.</summary>
    private sealed class Run(NativeThreadPool pool, int limit)
    {
        private readonly int[] _last = [.. Enumerable.Repeat(-1, Producers)];
        private int _started;
        private int _disorder;
        private int _returned;
        private int _mostWaiting;

        public void Queue(int producer, int number, int how)
        {
            switch (how)
            {
                case 0:
                    pool.QueueUserWorkItem(_ => Ran(producer, number));
                    Interlocked.Increment(ref _returned);
                    break;
                case 1:
                    Deadline.Wait(pool.QueueAsync(_ => Ran(producer, number), null, CancellationToken.None).AsTask());
                    Interlocked.Increment(ref _returned);
                    break;
                case 2:
                    pool.Run(() => Ran(producer, number));
                    Interlocked.Increment(ref _returned);
                    break;
                default:
                    Deadline.Wait(pool.RunAsync(() => Ran(producer, number), CancellationToken.None));
                    break;
            }
        }

        public void Started()
        {
            // What has returned was accepted before; what has released its permit is counted here a little later, one item
            // per worker at most. In this order the difference can only be too small.
            int returned = Volatile.Read(ref _returned);
            int waiting = Math.Max(pool.Probe.HeldPermits, returned - Interlocked.Increment(ref _started) - pool.MaxThreads);
            if (waiting > Volatile.Read(ref _mostWaiting))
            {
                Volatile.Write(ref _mostWaiting, waiting);
            }
        }

        public void AssertEveryAcceptedItemRanOnce(int accepted)
        {
            Deadline.Until(() => Volatile.Read(ref _started) >= accepted, $"{accepted} items run");
            Deadline.Until(() => pool.Probe.HeldPermits == 0, "all permits are free");
            Assert.Equal((accepted, 0), (_started, pool.Probe.WaitingCallers));
            Deadline.Until(() => pool.PendingWorkItemCount == 0, "what was cancelled is cleared away");
            Assert.True(_mostWaiting <= limit, $"{_mostWaiting} items waited");
        }

        public void AssertOrderOfEachProducer() => Assert.Equal(0, _disorder);

        private void Ran(int producer, int number)
        {
            Started();
            if (Interlocked.Exchange(ref _last[producer], number) >= number)
            {
                Interlocked.Increment(ref _disorder);
            }
        }
    }
}
