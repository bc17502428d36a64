using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>Periodic timers stay on the grid of their first deadline, whatever delays them.</summary>
public sealed class TimerPeriodTests : TimerTest
{
    private readonly ManualResetEventSlim _done = new();
    private readonly List<long> _firedAt = [];
    private EventLoopTimer? _timer;
    private long _before;
    private long _after;

    [Theory, CombinatorialBooleans]
    public void TwoHundredPeriods_StayOnTheGrid_ThoughSomeAreHalfAPeriodLate(bool firstOneAtOnce)
    {
        // Nine of ten come soon after a point of the grid. If delays added up, it were five: each late one would move those after it by
        // half a period. On a busy machine many come late, or the first, by which the others are judged: one attempt in five must show it.
        const int count = 201;
        int onTime = 0;
        for (int attempt = 0; attempt < 5 && onTime <= count * 7 / 10; attempt++)
        {
            onTime = CountOnTime(firstOneAtOnce, Milliseconds(4), count);
        }

        Assert.True(onTime > count * 7 / 10, $"Only {onTime} of {count} firings came soon after a point of the grid.");
    }

    private int CountOnTime(bool firstOneAtOnce, TimeSpan period, int count)
    {
        _firedAt.Clear();
        _done.Reset();
        Run(firstOneAtOnce ? TimeSpan.Zero : period, period, count, number =>
        {
            if (number % 10 == 0)
            {
                SpinUntil(After(_firedAt[number], 1.5 * period)); // the next one is late
            }
        });

        // The grid begins between the two moments noted around the call; due at once, when it first fires.
        long earliest = firstOneAtOnce ? _before : After(_before, period);
        long latest = firstOneAtOnce ? _firedAt[0] : After(_after, period);
        int onTime = 0;
        for (int i = 0; i < count; i++)
        {
            Assert.True(_firedAt[i] >= After(earliest, i * period), $"Firing {i} was early.");
            double periods = Stopwatch.GetElapsedTime(latest, _firedAt[i]) / period;
            double late = periods - Math.Floor(periods);
            onTime += late is < 0.4 or > 0.95 ? 1 : 0; // the grid may begin a little before "latest"
        }

        return onTime;
    }

    [Fact]
    public void LongCallback_IsFollowedByOneFiring_AndThenByTheGrid()
    {
        TimeSpan period = Milliseconds(10);
        Run(period, period, 4, number =>
        {
            if (number == 0)
            {
                SpinUntil(After(_firedAt[0], 5.5 * period));
            }
        });

        // The second one was due during the callback; those after it were too, and are left out.
        Assert.True(_firedAt[1] >= After(_firedAt[0], 5.5 * period));
        Assert.True(_firedAt[2] >= After(_before, 7 * period), "A period that had passed was made up for.");
        Assert.True(_firedAt[3] >= After(_before, 8 * period));
    }

    [Fact]
    public void PeriodsThatPassedBeforeTheFirstFiring_AreLeftOut()
    {
        TimeSpan period = Milliseconds(5);
        _timer = NewTimer(Note(2, static _ => { }));
        OnLoop(() =>
        {
            _before = Stopwatch.GetTimestamp();
            _timer.Arm(period, period);
            SpinUntil(After(_before, 6.5 * period));
        });
        Deadline.Wait(_done);
        Assert.True(_firedAt[1] >= After(_before, 7 * period), "A period that had passed was made up for.");
    }

    [Fact]
    public void ArmedAnew_BeginsANewGrid()
    {
        TimeSpan period = Milliseconds(20);
        long again = 0;
        Run(TimeSpan.Zero, Milliseconds(1), 3, number =>
        {
            if (number == 0)
            {
                again = Stopwatch.GetTimestamp();
                _timer!.Arm(period, period);
            }
        });
        Assert.True(_firedAt[1] >= After(again, period));
        Assert.True(_firedAt[2] >= After(again, 2 * period));
    }

    private void Run(TimeSpan dueTime, TimeSpan period, int count, Action<int> callback)
    {
        _timer = NewTimer(Note(count, callback));
        OnLoop(() =>
        {
            _timer.Arm(Hour, Hour); // for the first time, which takes longer
            _before = Stopwatch.GetTimestamp();
            _timer.Arm(dueTime, period);
            _after = Stopwatch.GetTimestamp();
        });
        Deadline.Wait(_done);
    }

    private Action Note(int count, Action<int> callback) => () =>
    {
        _firedAt.Add(Stopwatch.GetTimestamp());
        callback(_firedAt.Count - 1);
        if (_firedAt.Count == count)
        {
            _timer!.Dispose();
            _done.Set();
        }
    };
}
