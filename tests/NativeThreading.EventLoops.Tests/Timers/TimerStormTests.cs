using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>Many threads at one timer, and timers that are disposed while they fire.</summary>
public sealed class TimerStormTests : TimerTest
{
    private int _fired;

    [Fact]
    public void EightThreadsAtOneTimer_LeaveItAsTheLastOneWanted()
    {
        using EventLoopTimer timer = NewTimer(() => Interlocked.Increment(ref _fired));
        foreach (int round in Soak.Repeat(20))
        {
            int arms = 0;
            StartGate.Run(8, thread =>
            {
                var random = new Random((round * 8) + thread);
                for (int i = 0; i < 500; i++)
                {
                    switch (random.Next(4))
                    {
                        case 0:
                            timer.Cancel();
                            break;
                        case 1:
                            timer.Arm(Hour);
                            break;
                        default:
                            Interlocked.Increment(ref arms);
                            timer.Arm(TimeSpan.FromMicroseconds(random.Next(20)));
                            break;
                    }
                }
            });

            // Never more often than it was armed; and from here on it does what this thread says.
            timer.Cancel();
            PassTurn();
            int fired = Volatile.Read(ref _fired);
            Assert.InRange(fired, 0, arms);
            PassDueTimers();
            Assert.Equal(fired, _fired);
            timer.Arm(TimeSpan.Zero);
            Deadline.Until(() => Volatile.Read(ref _fired) == fired + 1);
            PassDueTimers();
            Assert.Equal(fired + 1, _fired);
            _fired = 0;
        }
    }

    [Theory, CombinatorialBooleans]
    public void DisposedWhileItFires_FiresNoMoreAfterTheLoopHasComeToIt(bool isPeriodic)
    {
        foreach (int round in Soak.Repeat(300))
        {
            int fired = 0;
            EventLoopTimer timer = NewTimer(() => Interlocked.Increment(ref fired));
            if (isPeriodic)
            {
                timer.Arm(TimeSpan.Zero, new TimeSpan(1));
            }
            else
            {
                timer.Arm(TimeSpan.FromMicroseconds(round % 40));
            }

            SpinUntil(Stopwatch.GetTimestamp() + (round % 50 * Stopwatch.Frequency / 1_000_000));
            timer.Dispose();
            PassTurn();
            int after = fired;
            PassDueTimers();
            Assert.Equal(after, fired);
            Assert.True(isPeriodic || fired <= 1);
            Assert.Throws<ObjectDisposedException>(() => timer.Arm(TimeSpan.Zero));
        }
    }

    [Fact]
    public void DisposedOnTheLoopWhileOthersArm_NeverFiresAgain()
    {
        foreach (int round in Soak.Repeat(300))
        {
            bool isDisposed = false;
            int late = 0;
            EventLoopTimer timer = NewTimer(() => late += isDisposed ? 1 : 0);
            bool go = false;
            Task disposed = Loop.InvokeAsync(() =>
            {
                Volatile.Write(ref go, true);
                Thread.SpinWait(round % 50);
                timer.Dispose();
                isDisposed = true;
            });
            Deadline.Until(() => Volatile.Read(ref go));
            try
            {
                for (int i = 0; i < 1_000_000; i++)
                {
                    timer.Arm(TimeSpan.Zero);
                }
            }
            catch (ObjectDisposedException)
            {
                // The loop has disposed it: what was on its way then must not bring it back.
            }

            Deadline.Wait(disposed);
            PassDueTimers();
            Assert.Equal(0, late);
            Assert.False(OnLoop(() => timer.IsArmed));
        }
    }

    [Fact]
    public void DisposedByManyAtOnce_IsHarmless()
    {
        foreach (int round in Soak.Repeat(20))
        {
            EventLoopTimer timer = NewTimer(() => Interlocked.Increment(ref _fired));
            timer.Arm(TimeSpan.Zero, Milliseconds(0.01));
            StartGate.Run(4, thread =>
            {
                if (thread == 0)
                {
                    OnLoop(timer.Dispose);
                }
                else
                {
                    timer.Dispose();
                }
            });
            PassTurn();
            int fired = Volatile.Read(ref _fired);
            PassDueTimers();
            Assert.Equal(fired, _fired);
        }
    }
}
