using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>A timer in steady use allocates nothing.</summary>
public sealed class TimerAllocationTests : TimerTest
{
    private const int Times = 20_000;

    // Per run, not per arming: what the runtime and the test runner do meanwhile.
    private const long Noise = 16 * 1024;

    private int _fired;

    [Fact]
    public void ArmingAndCancellingOnTheLoop_AllocatesNothing()
    {
        using EventLoopTimer timer = NewTimer(static () => { });
        Assert.Equal(0, Allocation.Least(() => OnLoop(() =>
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < Times; i++)
            {
                timer.Arm(Hour);
                timer.Arm(TimeSpan.Zero);
                timer.Cancel();
                timer.Arm(Hour, Hour);
            }

            return GC.GetAllocatedBytesForCurrentThread() - before;
        })));
    }

    [Theory, CombinatorialBooleans]
    public void FiringAndArmingInTheCallback_AllocatesNothing(bool isPeriodic, bool withContext)
    {
        var local = new AsyncLocal<string?> { Value = withContext ? "set" : null };
        using var done = new ManualResetEventSlim();
        long before = 0, allocated = 0;
        int left = 0;
        EventLoopTimer timer = null!;
        timer = NewTimer(() =>
        {
            if (left-- == Times)
            {
                before = GC.GetAllocatedBytesForCurrentThread();
            }
            else if (left == 0)
            {
                allocated = GC.GetAllocatedBytesForCurrentThread() - before;
                timer.Cancel();
                done.Set();
                return;
            }

            if (!isPeriodic)
            {
                timer.Arm(TimeSpan.Zero);
            }
        });
        Assert.Equal(0, Allocation.Least(() =>
        {
            left = Times;
            done.Reset();
            if (isPeriodic)
            {
                timer.Arm(TimeSpan.Zero, new TimeSpan(1));
            }
            else
            {
                timer.Arm(TimeSpan.Zero);
            }

            Deadline.Wait(done);
            return allocated;
        }));
        timer.Dispose();
        GC.KeepAlive(local);
    }

    [Fact]
    public void ArmingAndCancellingFromElsewhere_AllocatesNothing_NeitherThereNorOnTheLoop()
    {
        using EventLoopTimer timer = NewTimer(static () => { });
        long all = Allocation.Least(() =>
        {
            long own = 0, before = GC.GetTotalAllocatedBytes(precise: true);
            long ownBefore = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < Times; i++)
            {
                timer.Arm(Hour);
                timer.Cancel();
            }

            own = GC.GetAllocatedBytesForCurrentThread() - ownBefore;
            long all = GC.GetTotalAllocatedBytes(precise: true) - before;
            return own == 0 ? all : Math.Max(all, 2 * Noise);
        });
        Assert.InRange(all, 0, Noise);
    }

    [Fact]
    public void ArmingFromElsewhereAndFiring_AllocatesNothing()
    {
        using EventLoopTimer timer = NewTimer(() => Interlocked.Increment(ref _fired));
        Assert.InRange(
            Allocation.Least(() =>
            {
                long before = GC.GetTotalAllocatedBytes(precise: true);
                int first = Volatile.Read(ref _fired);
                for (int i = 1; i <= Times / 10; i++)
                {
                    timer.Arm(TimeSpan.Zero);
                    long started = Stopwatch.GetTimestamp();
                    for (var spinner = new SpinWait(); Volatile.Read(ref _fired) != first + i; spinner.SpinOnce(sleep1Threshold: -1))
                    {
                        if (Stopwatch.GetElapsedTime(started) > Deadline.Time)
                        {
                            throw new TimeoutException("The timer did not fire.");
                        }
                    }
                }

                return GC.GetTotalAllocatedBytes(precise: true) - before;
            }),
            0,
            Noise);
    }
}
