using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>Timers that are due at once, and what the first of them do to those behind them (T76).</summary>
public sealed class TimerBatchTests : TimerTest
{
    private readonly ManualResetEventSlim _done = new();
    private EventLoopTimer[] _timers = [];
    private int[] _fired = [];
    private int _calls;

    public static TheoryData<int> Counts => [2, 129, 1_000, 10_000];

    [Theory, MemberData(nameof(Counts))]
    public void T76_AllDueAtOnce_FireOnce(int count)
    {
        ArmTogether(count, number =>
        {
            if (number == count - 1)
            {
                _done.Set();
            }
        });
        Assert.All(_fired, static fired => Assert.Equal(1, fired));
    }

    [Theory, MemberData(nameof(Counts))]
    public void T76_TimersThatTheFirstOneCancels_DoNotFire(int count) =>
        AssertOnlyTheFirstFires(count, static timer => timer.Cancel());

    [Theory, MemberData(nameof(Counts))]
    public void T76_TimersThatTheFirstOneDisposes_DoNotFire(int count) =>
        AssertOnlyTheFirstFires(count, static timer => timer.Dispose());

    [Theory, MemberData(nameof(Counts))]
    public void T76_TimersThatTheFirstOneArmsForLater_DoNotFire(int count)
    {
        AssertOnlyTheFirstFires(count, static timer => timer.Arm(Hour));
        Assert.All(_timers[1..], static timer => Assert.True(timer.IsArmed));
    }

    [Theory, MemberData(nameof(Counts))]
    public void T76_TimersThatAnotherThreadCancels_WhileTheFirstOneRuns_DoNotFire(int count)
    {
        using var entered = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        Task armed = Task.Run(() => ArmTogether(count, number =>
        {
            if (number == 0)
            {
                entered.Set();
                release.Wait(Deadline.Time);
                _done.Set();
            }
        }));
        Deadline.Wait(entered);
        foreach (EventLoopTimer timer in _timers[1..])
        {
            timer.Cancel();
        }

        release.Set();
        Deadline.Wait(armed);
        Assert.Equal(1, _calls);
    }

    [Theory, MemberData(nameof(Counts))]
    public void T76_EachCancelsItsSuccessor_SoEverySecondOneFires(int count)
    {
        ArmTogether(count, number =>
        {
            if (number + 1 < count)
            {
                _timers[number + 1].Cancel();
            }

            if (number + 2 >= count)
            {
                _done.Set();
            }
        });
        Assert.All(_fired.Index(), static pair => Assert.Equal(pair.Index % 2 == 0 ? 1 : 0, pair.Item));
    }

    [Fact]
    public void T76_PlaceOfADisposedTimer_MayBeTakenAtOnce_WithoutFiringForIt()
    {
        int wrong = 0;
        EventLoopTimer[] heirs = [];
        ArmTogether(129, number =>
        {
            if (number == 0)
            {
                heirs = [.. _timers[1..].Select(timer =>
                {
                    timer.Dispose();
                    EventLoopTimer heir = NewTimer(() => wrong++);
                    heir.Arm(Hour);
                    return heir;
                })];
                _done.Set();
            }
        });
        Assert.Equal(1, _calls);
        Assert.Equal(0, wrong);
        Assert.All(heirs, static heir => Assert.True(heir.IsArmed));
    }

    private void AssertOnlyTheFirstFires(int count, Action<EventLoopTimer> what)
    {
        ArmTogether(count, number =>
        {
            Array.ForEach(_timers[1..], timer => what(timer));
            _done.Set();
        });
        Assert.Equal(1, _calls);
        Assert.Equal(1, _fired[0]);
    }

    /// <summary>Arms that many timers for the same moment; returns when <c>_done</c> is set and all that was due has fired.</summary>
    private void ArmTogether(int count, Action<int> callback)
    {
        _fired = new int[count];
        _timers = [.. Enumerable.Range(0, count).Select(number => NewTimer(() =>
        {
            _calls++;
            _fired[number]++;
            callback(number);
        }))];
        OnLoop(() => Array.ForEach(_timers, static timer => timer.Arm(TimeSpan.Zero)));
        Deadline.Wait(_done);
        PassDueTimers();
    }
}
