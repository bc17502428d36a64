using System.Runtime.CompilerServices;
using NativeThreading.Queues;
using NativeThreading.Tests.Support;
using NativeThreading.Waiting;

namespace NativeThreading.Tests.Waiting;

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
    public void T137_LeftoverOfAnItem_IsGoneWhenTheWorkerHasParked()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        for (int round = 0; round < 20; round++)
        {
            pool.UnsafeQueueUserWorkItem(static _ => Thread.CurrentThread.Interrupt(), null); // its last act: no wait of the test's own meets it
            pool.WaitUntilQuiet();
            Assert.False(pool.OnWorker(IsInterrupted));
        }
    }

    /// <summary>A producer inside an item is interrupted while it appends to a shard of another pool: it is told in its own wait.</summary>
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
