using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>Never early by a clock that is not the loop's; late by little where nothing holds the loop up.</summary>
public sealed class TimerClockTests : TimerTest
{
    private readonly ManualResetEventSlim _fired = new();
    private long _firedAt;

    [Theory]
    [InlineData(0)]
    [InlineData(0.0001)]
    [InlineData(0.01)]
    [InlineData(0.1)]
    [InlineData(0.9999)]
    [InlineData(1)]
    [InlineData(1.5)]
    [InlineData(10.0001)]
    public void T81_NeverEarly_NotByAPartOfAMillisecond(double milliseconds)
    {
        using EventLoopTimer timer = NewStampingTimer();
        TimeSpan due = Milliseconds(milliseconds);
        for (int i = 0; i < 40; i++)
        {
            bool armOnLoop = i % 2 == 0;
            long armedAt = 0;
            void Arm()
            {
                armedAt = Stopwatch.GetTimestamp();
                timer.Arm(due);
            }

            _fired.Reset();
            if (armOnLoop)
            {
                OnLoop(Arm);
            }
            else
            {
                Arm();
            }

            Deadline.Wait(_fired);
            Assert.True(_firedAt >= After(armedAt, due), $"Due after {due}, fired after {Stopwatch.GetElapsedTime(armedAt, _firedAt)}.");
        }
    }

    [Fact]
    public void T77_ArmedAtTheEndOfALongCallback_IsNotEarly()
    {
        using EventLoopTimer timer = NewStampingTimer();
        for (int i = 0; i < 4; i++)
        {
            long armedAt = 0;
            void BurnAndArm()
            {
                Burn(Milliseconds(50));
                armedAt = Stopwatch.GetTimestamp();
                timer.Arm(Milliseconds(10));
            }

            // In a posted callback, and in a timer's, where the time of the poll is at hand and wrong.
            _fired.Reset();
            using EventLoopTimer burner = NewTimer(BurnAndArm);
            if (i % 2 == 0)
            {
                OnLoop(BurnAndArm);
            }
            else
            {
                burner.Arm(TimeSpan.Zero);
            }

            Deadline.Wait(_fired);
            Assert.True(_firedAt >= After(armedAt, Milliseconds(10)), $"Fired after {Stopwatch.GetElapsedTime(armedAt, _firedAt)}.");
        }
    }

    [Fact]
    public void T77_ArmedByAnotherThreadDuringALongCallback_CountsFromItsOwnCall()
    {
        // 20 ms are left, not 60: wide, for it is a time, and the best of some, for the machine is busy.
        using EventLoopTimer timer = NewStampingTimer();
        TimeSpan best = TimeSpan.MaxValue;
        for (int i = 0; i < 20 && best > Milliseconds(55); i++)
        {
            _fired.Reset();
            long armedAt, releasedAt;
            using (new BlockedLoop(Loop))
            {
                armedAt = Stopwatch.GetTimestamp();
                timer.Arm(Milliseconds(60));
                SpinUntil(After(armedAt, Milliseconds(40)));
                releasedAt = Stopwatch.GetTimestamp();
            }

            Deadline.Wait(_fired);
            Assert.True(_firedAt >= After(armedAt, Milliseconds(60)));
            TimeSpan taken = Stopwatch.GetElapsedTime(releasedAt, _firedAt);
            best = taken < best ? taken : best;
        }

        Assert.InRange(best, TimeSpan.Zero, Milliseconds(55));
    }

    [Fact]
    [NeedsNativeCore(NeedsNativeCoreAttribute.ShortTimes)]
    public void T81_LateByLessThanAMillisecond_MostOfTheTime()
    {
        // A wait in whole milliseconds would be late by half of one in the mean, and never by less than that for a due
        // time of 1.3 ms rounded up. Half of the samples, for the machine is busy.
        using EventLoopTimer timer = NewStampingTimer();
        TimeSpan due = Milliseconds(1.3);
        var late = new List<TimeSpan>();
        for (int i = 0; i < 60; i++)
        {
            _fired.Reset();
            long armedAt = OnLoop(() =>
            {
                long now = Stopwatch.GetTimestamp();
                timer.Arm(due);
                return now;
            });
            Deadline.Wait(_fired);
            late.Add(Stopwatch.GetElapsedTime(armedAt, _firedAt) - due);
        }

        TimeSpan quartile = late.Order().ElementAt(late.Count / 4);
        Assert.InRange(quartile, TimeSpan.Zero, Milliseconds(0.6));
    }

    private EventLoopTimer NewStampingTimer() => NewTimer(() =>
    {
        _firedAt = Stopwatch.GetTimestamp();
        _fired.Set();
    });
}
