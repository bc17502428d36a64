using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>What a timer's own callback may do to it: everything.</summary>
public sealed class TimerCallbackTests : TimerTest
{
    private readonly ManualResetEventSlim _done = new();
    private EventLoopTimer? _timer;
    private int _fired;

    [Fact]
    public void OneShot_IsNotArmedInItsCallback_APeriodicOneIs()
    {
        foreach (bool isPeriodic in (ReadOnlySpan<bool>)[false, true])
        {
            bool? wasArmed = null;
            _done.Reset();
            _timer = NewTimer(() =>
            {
                wasArmed = _timer!.IsArmed;
                _timer.Cancel();
                _done.Set();
            });
            Start(isPeriodic);
            Deadline.Wait(_done);
            Assert.Equal(isPeriodic, wasArmed);
        }
    }

    [Theory, CombinatorialBooleans]
    public void ArmsItselfAgain(bool atOnce)
    {
        _timer = NewTimer(() =>
        {
            if (++_fired == 100)
            {
                _done.Set();
                return;
            }

            _timer!.Arm(atOnce ? TimeSpan.Zero : Milliseconds(0.05));
        });
        Start(isPeriodic: false);
        Deadline.Wait(_done);
        PassDueTimers();
        Assert.Equal(100, _fired);
    }

    [Theory, CombinatorialBooleans]
    public void DisposesOrCancelsItself_AndFiresNoMore(bool isPeriodic, bool disposes)
    {
        _timer = NewTimer(() =>
        {
            _fired++;
            if (disposes)
            {
                _timer!.Dispose();
                Assert.Throws<ObjectDisposedException>(() => _timer.Arm(TimeSpan.Zero));
            }
            else
            {
                _timer!.Cancel();
            }

            Assert.False(_timer.IsArmed);
            _done.Set();
        });
        Start(isPeriodic);
        Deadline.Wait(_done);
        Burn(Milliseconds(2));
        PassDueTimers();
        Assert.Equal(1, _fired);
    }

    [Fact]
    public void PeriodicTimer_ArmedOnceInItsCallback_IsPeriodicNoMore()
    {
        _timer = NewTimer(() =>
        {
            if (++_fired == 1)
            {
                _timer!.Arm(TimeSpan.Zero);
            }
            else
            {
                _done.Set();
            }
        });
        Start(isPeriodic: true);
        Deadline.Wait(_done);
        Assert.False(OnLoop(() => _timer.IsArmed));
        Burn(Milliseconds(2));
        PassDueTimers();
        Assert.Equal(2, _fired);
    }

    [Theory, CombinatorialBooleans]
    public void Throws_AndTheTimersBehindItFire_APeriodicOneAgain(bool isPeriodic)
    {
        _timer = NewTimer(() =>
        {
            _fired++;
            throw new TestException();
        });
        using EventLoopTimer behind = NewTimer(_done.Set);
        OnLoop(() =>
        {
            Start(isPeriodic);
            behind.Arm(TimeSpan.Zero);
        });
        Deadline.Wait(_done);
        Deadline.Until(() => Volatile.Read(ref _fired) >= (isPeriodic ? 3 : 1));
        OnLoop(_timer.Dispose);
        Assert.True(isPeriodic || _fired == 1);
    }

    protected override bool IsExpected(Exception exception) => exception is TestException;

    private void Start(bool isPeriodic)
    {
        if (isPeriodic)
        {
            _timer!.Arm(TimeSpan.Zero, Milliseconds(1));
        }
        else
        {
            _timer!.Arm(TimeSpan.Zero);
        }
    }

    private sealed class TestException : Exception;
}
