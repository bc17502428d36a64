using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>Workers that fall asleep in a wait for a group while other threads leave items where sleepers look: no worker sleeps while such an item waits (T151).</summary>
/// <remarks>
/// No other thread looks here: all threads that there may be are in items. So a wake that is missed is a wait that never ends, however long one
/// that is not missed takes on a busy machine. What the watchdog repairs, it counts.
/// </remarks>
[Trait("Category", "Race")]
public sealed class WorkGroupLateItemRaceTests
{
    private const int Items = 20;

    [Theory]
    [InlineData(1, false)]
    [InlineData(1, true)]
    [InlineData(3, false)]
    [InlineData(3, true)]
    public void T151_WhatIsQueuedWhileAllWorkersWait_Runs(int waiters, bool ranges)
    {
        using NativeThreadPool pool = Pools.WithThreads(waiters + 1);
        foreach (int round in RaceTime.Rounds())
        {
            using var race = new Waiters(pool, 2 * Items * (ranges ? Items : 1));
            for (int i = 0; i < waiters; i++)
            {
                race.Add(static group => group.Wait());
            }

            StartGate.Run(2, producer =>
            {
                for (int i = 0; i < Items; i++)
                {
                    Thread.SpinWait((round + (17 * producer)) % 50 * 20);
                    race.Queue(ranges ? Items : 1);
                }
            });
            race.AwaitItems(round);
        }
    }

    /// <summary>A waiter whose time is over may be woken at the same moment: the other one has to come.</summary>
    [Theory, CombinatorialBooleans]
    public void T151_BesideAWaiterThatLeaves_TheItemRuns(bool isInterrupted)
    {
        using NativeThreadPool pool = Pools.WithThreads(3);
        foreach (int round in RaceTime.Rounds(shares: 2))
        {
            using var race = new Waiters(pool, 1);
            Thread? leaving = null;
            race.Add(static group => group.Wait());
            Deadline.Until(() => race.Group.MayHaveSleepers);
            race.Add(group =>
            {
                Volatile.Write(ref leaving, Thread.CurrentThread);
                try
                {
                    group.Wait(isInterrupted ? Deadline.Time : TimeSpan.FromMicroseconds(50 + (round % 100)));
                    if (isInterrupted)
                    {
                        // It was woken at the same moment, and has run the item: the interrupt is still to come, here and not in an item of
                        // another round that this worker runs.
                        Thread.Sleep(Deadline.Time);
                    }
                }
                catch (ThreadInterruptedException)
                {
                }

                race.AwaitEnd();
            });
            Deadline.Until(() => Volatile.Read(ref leaving) is { } thread && thread.ThreadState.HasFlag(ThreadState.WaitSleepJoin));
            if (isInterrupted)
            {
                leaving!.Interrupt();
            }

            Thread.SpinWait(round % 50 * 5);
            race.Queue(1);
            race.AwaitItems(round);
        }
    }

    [Fact]
    public void T151_WorkersThatWaitForEachOthersGroups_BothReturn()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        foreach (int round in RaceTime.Rounds())
        {
            WorkGroup[] groups = [new(pool), new(pool)];
            int ran = 0;
            using var met = new Barrier(2);
            using var returned = new CountdownEvent(2);
            for (int worker = 0; worker < 2; worker++)
            {
                int own = worker;
                pool.UnsafeQueueUserWorkItem(
                    _ =>
                    {
                        groups[own].QueueRange(_ => Interlocked.Increment(ref ran), [1, 2]);
                        met.SignalAndWait(Deadline.Time);
                        Thread.SpinWait(((own * 25) + round) % 50 * 10);
                        groups[1 - own].Wait();
                        returned.Signal();
                    },
                    null);
            }

            Deadline.Wait(returned, $"the waits of round {round}");
            Assert.Equal((4, 0), (ran, pool.Probe.Repairs));
        }
    }

    /// <summary>A group of which one item does not end, so that workers which wait for it sleep.</summary>
    private sealed class Waiters : IDisposable
    {
        private readonly NativeThreadPool _pool;
        private readonly ManualResetEventSlim _end = new();
        private readonly CountdownEvent _ran;
        private readonly CountdownEvent _waiters = new(1);

        public Waiters(NativeThreadPool pool, int items)
        {
            _pool = pool;
            Group = new WorkGroup(pool);
            _ran = new CountdownEvent(items);
            using var started = new ManualResetEventSlim();
            Group.Queue(
                _ =>
                {
                    started.Set();
                    Deadline.Wait(_end);
                },
                0);
            Deadline.Wait(started);
        }

        public WorkGroup Group { get; }

        /// <summary>A worker waits.</summary>
        public void Add(Action<WorkGroup> wait)
        {
            _waiters.AddCount();
            _pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    wait(Group);
                    _waiters.Signal();
                },
                null);
        }

        public void Queue(int items) => Group.QueueRange(_ => _ran.Signal(), new int[items]);

        public void AwaitEnd() => Deadline.Wait(_end);

        /// <summary>Waits for the items, and then for the waiters.</summary>
        public void AwaitItems(int round)
        {
            try
            {
                Deadline.Wait(_ran, $"the items of round {round}");
                Assert.Equal(0, _pool.Probe.Repairs);
            }
            finally
            {
                _end.Set();
            }

            _waiters.Signal();
            Deadline.Wait(_waiters);
        }

        public void Dispose()
        {
            _end.Set();
            Deadline.Until(() => Group.PendingCount == 0);
            _end.Dispose();
            _ran.Dispose();
            _waiters.Dispose();
        }
    }
}
