using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Tests.Support;
using NativeThreading.Tuning;
using ThreadState = System.Threading.ThreadState;

namespace NativeThreading.Tests.Platform;

/// <summary>Thread.Interrupt is thrown in waits of items, never in those of the pool (T137).</summary>
public sealed class InterruptTests
{
    [Fact]
    public void T137_ContendedLock_IsEnteredAndTheInterruptStaysPending()
    {
        var @lock = new UninterruptedLock();
        bool entered = false;
        bool stillPending = false;
        var waiter = new Thread(() =>
        {
            using (@lock.EnterScope())
            {
                entered = true;
            }

            stillPending = IsInterrupted();
        }) { IsBackground = true };
        using (@lock.EnterScope())
        {
            waiter.Start();
            Deadline.Until(() => waiter.ThreadState.HasFlag(ThreadState.WaitSleepJoin), "it waits for the lock");
            waiter.Interrupt();
            Deadline.Until(() => waiter.ThreadState.HasFlag(ThreadState.WaitSleepJoin), "and again");
            waiter.Interrupt();
            Assert.False(entered);
        }

        Deadline.Join(waiter);
        Assert.True(entered && stillPending);
    }

    [Fact]
    public void T137_Spin_IsNotInterrupted()
    {
        bool stillPending = false;
        var thread = new Thread(() =>
        {
            Thread.CurrentThread.Interrupt();
            var spin = default(UninterruptedSpin);
            for (int i = 0; i < 200; i++)
            {
                spin.Once();
            }

            stillPending = IsInterrupted();
        });
        thread.Start();
        Deadline.Join(thread);
        Assert.True(stillPending);
    }

    [Fact]
    public void T137_LeftoverOfAnItemThatTookItsTime_IsGoneWhenTheWorkerHasParked()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        for (int round = 0; round < 20; round++)
        {
            LeaveAnInterrupt(pool, WorkerTuning.ShortRun);
            AwaitRest(pool);
            Assert.False(pool.OnWorker(IsInterrupted));
        }
    }

    [Fact]
    public void T137_LeftoverOfAShortItem_IsGoneBeforeLong()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        LeaveAnInterrupt(pool, 0);
        int ran = 0;
        for (int run = 0; run < WorkerTuning.MostRunsBetweenDrops; run++)
        {
            AwaitRest(pool);
            pool.UnsafeQueueUserWorkItem(_ => Volatile.Write(ref ran, ran + 1), null); // signals nothing through a lock, which would throw
            Deadline.Until(() => Volatile.Read(ref ran) > run, "the item runs");
        }

        AwaitRest(pool);
        Assert.False(pool.OnWorker(IsInterrupted));
    }

    [Fact]
    public void T137_BehindLongRunsAWorkerAlwaysLooks_BehindShortOnesNowAndThen()
    {
        var leftover = new LeftoverInterrupt();
        Assert.True(Drops(ref leftover)); // a new worker has run since ever
        for (int drops = 0; drops < 3; drops++)
        {
            for (int run = 1; run < WorkerTuning.MostRunsBetweenDrops; run++)
            {
                Assert.False(Drops(ref leftover, WorkerTuning.ShortRun - 1));
            }

            Assert.True(Drops(ref leftover, WorkerTuning.ShortRun - 1));
            Assert.True(Drops(ref leftover, WorkerTuning.ShortRun));
        }
    }

    /// <summary>A producer inside an item is interrupted while it appends to a shard of another pool: it gets the interrupt in its own wait.</summary>
    [Fact]
    public void T137_QueueingWithAnInterruptPending_LosesNothingAndKeepsIt()
    {
        using NativeThreadPool first = Pools.WithThreads(2, "interrupted-producers");
        using NativeThreadPool second = Pools.WithThreads(2, "interrupted-consumers");
        const int items = 20 * InjectorSegment.Size;
        int ran = 0;
        int kept = 0;
        var group = new WorkGroup(first);
        group.QueueRange(
            _ =>
            {
                Thread.CurrentThread.Interrupt();
                for (int i = 0; i < items; i++)
                {
                    second.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref ran), null);
                }

                kept += IsInterrupted() ? 1 : 0;
            },
            [1]);
        Assert.True(group.Wait(Deadline.Time));
        Deadline.Until(() => ran == items, $"{items} items run");
        Assert.Equal(1, kept);
    }

    [Fact]
    public async Task T137_ThousandsOfLeftoversBesideRetiringWorkers_NothingIsLostAndTheProcessLives()
    {
        ChildProcess.Result result = await ChildProcess.RunAsync(InterruptedWorkers);
        Assert.True(result.ExitCode == 0, result.ToString());
    }

    /// <summary>In a child: an interrupt that the machinery does not absorb ends the process.</summary>
    internal static int InterruptedWorkers()
    {
        const int itemsPerRound = 400;
        int interrupts = 0;
        long ran = 0;
        long queued = 0;
        long end = Environment.TickCount64 + Math.Min(Soak.Rounds(2_500), 15_000);
        while (Environment.TickCount64 < end)
        {
            // They retire, come back, enter regions and the reserve, and queue to each other, all with an interrupt pending.
            NativeThreadPool[] pools = [.. Enumerable.Range(0, 4).Select(number => new NativeThreadPool(new NativeThreadPoolOptions
            {
                Name = $"interrupted-{number}",
                MaxThreads = 3,
                IdleTimeout = TimeSpan.FromMicroseconds(100 + (900 * (number % 2))),
                LingerTime = TimeSpan.Zero,
            }))];
            void Leaf(object? state)
            {
                Interlocked.Increment(ref ran);
                Interlocked.Increment(ref interrupts);
                Thread.CurrentThread.Interrupt();
            }

            void Item(object? state)
            {
                int number = (int)state!;
                Interlocked.Increment(ref ran);
                Interlocked.Increment(ref interrupts);
                Thread.CurrentThread.Interrupt();
                if (number % 3 == 0)
                {
                    using (NativeThreadPool.EnterBlockingRegion())
                    {
                        IsInterrupted();
                        Thread.CurrentThread.Interrupt();
                    }
                }

                NativeThreadPool.Current!.UnsafeQueueUserWorkItem(Leaf, null);
            }

            // Interrupts from outside too, at any moment of a worker's life.
            var threads = new System.Collections.Concurrent.ConcurrentBag<Thread>();
            bool ends = false;
            var interrupter = new Thread(() =>
            {
                while (!Volatile.Read(ref ends))
                {
                    foreach (Thread thread in threads)
                    {
                        thread.Interrupt();
                        Interlocked.Increment(ref interrupts);
                    }

                    Thread.Sleep(0);
                }
            }) { IsBackground = true };
            foreach (NativeThreadPool pool in pools)
            {
                pool.UnsafeQueueUserWorkItem(_ => threads.Add(Thread.CurrentThread), null);
            }

            interrupter.Start();
            StartGate.Run(2, thread =>
            {
                for (int i = 0; i < itemsPerRound; i++)
                {
                    pools[i % pools.Length].UnsafeQueueUserWorkItem(Item, i);
                    if (i % 16 == thread)
                    {
                        Thread.Sleep(1); // so that workers go idle, and some retire
                    }
                }
            });
            queued += 2 * 2 * itemsPerRound;
            foreach (NativeThreadPool pool in pools)
            {
                Deadline.Wait(pool.ShutdownAsync(CancellationToken.None));
            }

            Volatile.Write(ref ends, true);
            Deadline.Join(interrupter);
            if (Interlocked.Read(ref ran) != queued)
            {
                Console.WriteLine($"{ran} of {queued} items ran");
                return 1;
            }
        }

        Console.WriteLine($"{ran} items, {interrupts} interrupts");
        return interrupts > 2_000 ? 0 : 2;
    }

    /// <summary>Its last act: no wait of the test's own meets the interrupt.</summary>
    private static void LeaveAnInterrupt(NativeThreadPool pool, long ticks)
    {
        bool began = false;
        pool.UnsafeQueueUserWorkItem(
            _ =>
            {
                Volatile.Write(ref began, true);
                for (long since = Stopwatch.GetTimestamp(); Stopwatch.GetTimestamp() - since < ticks;)
                {
                }

                Thread.CurrentThread.Interrupt();
            },
            null);
        Deadline.Until(() => Volatile.Read(ref began), "the item runs");
    }

    private static void AwaitRest(NativeThreadPool pool) => Deadline.Until(() => pool.Probe.IsAtRest, "the worker has parked");

    /// <summary>Whether a leftover of a run that long is dropped. What is not, is dropped here.</summary>
    private static bool Drops(ref LeftoverInterrupt leftover, long run = -1)
    {
        long now = Stopwatch.GetTimestamp();
        if (run >= 0)
        {
            leftover.NoteRun(now - run);
        }

        Thread.CurrentThread.Interrupt();
        bool dropped = leftover.DropIfDue(now);
        Assert.Equal(!dropped, Interruption.Drop());
        return dropped;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool IsInterrupted()
    {
        try
        {
            Thread.Sleep(0);
            return false;
        }
        catch (ThreadInterruptedException)
        {
            return true;
        }
    }
}
