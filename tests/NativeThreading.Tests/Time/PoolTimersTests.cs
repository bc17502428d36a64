using NativeThreading.Platform;
using NativeThreading.Tests.Support;
using NativeThreading.Time;

namespace NativeThreading.Tests.Time;

/// <summary>The one timer thread of the process, and its queues.</summary>
public sealed class PoolTimersTests
{
    private static readonly TimeSpan s_never = TimeSpan.FromHours(1);

    [Fact]
    public void Thread_StartsWithTheFirstTimer_AndEndsAfterTheLast_Again()
    {
        for (int round = 0; round < 2; round++)
        {
            AwaitEnd();
            var timer = new Counted();
            PoolTimers.Arm(timer, s_never);
            Assert.True(PoolTimers.IsThere);
            var soon = new Counted();
            PoolTimers.Arm(soon, TimeSpan.FromMilliseconds(1)); // wakes the thread from its long sleep
            Deadline.Until(() => soon.Fired == 1);
            Assert.True(PoolTimers.Disarm(timer));
            Assert.False(PoolTimers.Disarm(timer));
            Assert.Equal(0, timer.Fired);
        }
    }

    [Fact]
    public void Thread_ThatCannotBeStarted_LeavesTheTimerUnarmed()
    {
        AwaitEnd();
        var timer = new Counted();
        using (new FailingThreadStarts(PoolTimers.ThreadName))
        {
            Assert.ThrowsAny<OutOfMemoryException>(() => PoolTimers.Arm(timer, TimeSpan.Zero));
        }

        Assert.Equal(0, PoolTimers.ArmedCount);
        PoolTimers.Arm(timer, TimeSpan.Zero);
        Deadline.Until(() => timer.Fired == 1);
    }

    /// <summary>One thread arms them on two processors, and the timer thread is late for all.</summary>
    [Fact]
    public void OverdueTimersOfTwoQueues_FireInTheOrderOfTheirDeadlines()
    {
        using var open = new ManualResetEventSlim();
        using var left = new CountdownEvent(7);
        using var entered = new ManualResetEventSlim();
        PoolTimers.Arm(new Calls(() =>
        {
            entered.Set();
            Deadline.Wait(open);
        }), TimeSpan.Zero);
        Deadline.Wait(entered);
        var order = new List<int>();
        int[] due = [30, 10, 20, 50, 40, 60, 20];
        for (int i = 0; i < due.Length; i++)
        {
            int number = due[i];
            var timer = new Calls(() =>
            {
                order.Add(number);
                left.Signal();
            });
            timer.Slot.ChooseFirst(i % Math.Min(Environment.ProcessorCount, 2));
            PoolTimers.ArmAt(timer, deadline: number);
        }

        open.Set();
        Deadline.Wait(left);
        Assert.Equal([10, 20, 20, 30, 40, 50, 60], order);
    }

    [Fact]
    public void Arming_AllocatesNothing()
    {
        var timer = new Counted();
        PoolTimers.Arm(timer, s_never);
        long least = Allocation.Least(() =>
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < 1_000; i++)
            {
                PoolTimers.Arm(timer, s_never);
                PoolTimers.Disarm(timer);
            }

            return GC.GetAllocatedBytesForCurrentThread() - before;
        });
        Assert.Equal(0, least);
    }

    [Fact]
    [Trait("Category", "Race")]
    public void ArmedMovedAndDisarmedByManyThreads_EachArmingFiresOnceOrIsDisarmed()
    {
        foreach (int round in Soak.Repeat(50))
        {
            var timers = new Counted[64];
            Array.ForEach(timers, static _ => { });
            for (int i = 0; i < timers.Length; i++)
            {
                timers[i] = new Counted();
            }

            long armed = 0;
            long disarmed = 0;
            StartGate.Run(4, index =>
            {
                var random = new Random((round * 4) + index);
                for (int step = 0; step < 500; step++)
                {
                    Counted timer = timers[(random.Next(timers.Length / 4) * 4) + index]; // each timer has one thread
                    if (timer.IsArmed && random.Next(2) == 0)
                    {
                        timer.IsArmed = false;
                        Interlocked.Add(ref disarmed, PoolTimers.Disarm(timer) ? 1 : 0);
                    }
                    else if (!timer.IsArmed)
                    {
                        timer.IsArmed = true;
                        Interlocked.Increment(ref armed);
                        PoolTimers.Arm(timer, TimeSpan.FromMicroseconds(random.Next(300)));
                    }
                    else if (PoolTimers.Disarm(timer))
                    {
                        PoolTimers.Arm(timer, TimeSpan.FromMicroseconds(random.Next(300)));
                    }
                }
            });
            Deadline.Until(
                () => timers.Sum(static timer => (long)timer.Fired) == armed - disarmed,
                () => $"{timers.Sum(static timer => (long)timer.Fired)} of {armed} - {disarmed} have fired");
            Assert.Equal(0, PoolTimers.ArmedCount);
        }
    }

    [Fact]
    [Trait("Category", "Race")]
    public void ArmingThatMeetsTheEndOfTheThread_Fires()
    {
        foreach (int round in Soak.Repeat(2))
        {
            AwaitEnd();
            var timers = new Counted[4];
            StartGate.Run(4, index =>
            {
                timers[index] = new Counted();
                PoolTimers.Arm(timers[index], TimeSpan.FromMilliseconds(index));
            });
            Deadline.Until(() => Array.TrueForAll(timers, static timer => timer.Fired == 1), $"all have fired in round {round}");
        }
    }

    [Fact]
    public void NextDeadline_KeepsThePhase_AndLeavesOutWhatHasPassed()
    {
        Assert.Equal(20, TimerQueue.NextDeadline(10, 10, 10));
        Assert.Equal(20, TimerQueue.NextDeadline(10, 10, 19));
        Assert.Equal(30, TimerQueue.NextDeadline(10, 10, 20));
        Assert.Equal(20, TimerQueue.NextDeadline(10, 10, 5));
        Assert.Equal(1_010, TimerQueue.NextDeadline(10, 10, 1_009));
    }

    /// <summary>The thread may sleep until the deadline of a timer that was disarmed: another timer wakes it.</summary>
    private static void AwaitEnd()
    {
        if (PoolTimers.IsThere)
        {
            PoolTimers.Arm(new Counted(), TimeSpan.Zero);
        }

        Deadline.Until(() => !PoolTimers.IsThere, "the timer thread has ended");
    }

    /// <summary>Counts how often it fires, on the timer thread.</summary>
    private sealed class Calls(Action fire) : ITimed
    {
        private TimerSlot _slot;

        public ref TimerSlot Slot => ref _slot;

        void ITimed.Fire() => fire();
    }

    private sealed class Counted : ITimed
    {
        private TimerSlot _slot;
        private int _fired;

        public bool IsArmed { get; set; }

        public int Fired => Volatile.Read(ref _fired);

        ref TimerSlot ITimed.Slot => ref _slot;

        void ITimed.Fire()
        {
            Assert.Equal(PoolTimers.ThreadName, Thread.CurrentThread.Name);
            Interlocked.Increment(ref _fired);
        }
    }
}
