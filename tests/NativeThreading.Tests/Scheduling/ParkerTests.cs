using NativeThreading.Platform;
using NativeThreading.Scheduling;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>Announcing, parking and being chosen.</summary>
public sealed class ParkerTests
{
    private readonly WorkerSignal _signal = new();

    private ulong Bits => (uint)_signal.Word;

    private int Idle => WorkerSignal.IdleCount(_signal.Word);

    [Fact]
    public void Announced_IsCounted_AndWithdrawalTakesItBack()
    {
        var place = new Parker(_signal);
        Assert.True(place.Announce(asSentinel: false));
        Assert.Equal(1UL << SignalWord.IdleShift, Bits);

        Assert.False(place.Withdraw());
        Assert.Equal(0UL, Bits);
        place.Free();
    }

    [Fact]
    public void RequestBeforeThePark_ChoosesTheAnnounced_AndItDoesNotPark()
    {
        var place = new Parker(_signal);
        place.Announce(asSentinel: false);

        Assert.Equal(RequestOutcome.Woke, _signal.Request());
        Assert.Equal(SignalWord.Requested, Bits);
        Assert.True(place.Park(Timeout.InfiniteTimeSpan));
        Assert.Equal(SignalWord.Requested, Bits); // the chosen one's to acknowledge

        _signal.Acknowledge();
        Assert.Equal(0UL, Bits);
        place.Free();
    }

    [Fact]
    public void RequestBeforeTheWithdrawal_IsTheWithdrawersToAcknowledge()
    {
        var place = new Parker(_signal);
        place.Announce(asSentinel: false);
        _signal.Request();

        Assert.True(place.Withdraw());
        _signal.Acknowledge();
        Assert.Equal(0UL, Bits);
        place.Free();
    }

    [Fact]
    public void ParkedWorker_IsPreferredToANewThread_AndWokenByOneCall()
    {
        _signal.SetGrowable(true);
        var place = new Parker(_signal);
        Race.Run(
            () =>
            {
                place.Announce(asSentinel: false);
                Assert.True(place.Park(Deadline.Time));
                _signal.Acknowledge();
            },
            () =>
            {
                Deadline.Until(() => Idle == 1);
                Assert.Equal(RequestOutcome.Woke, _signal.Request());
            });
        Assert.Equal(SignalWord.Growable, Bits);
        Assert.InRange(_signal.WakeCount, 0, 1); // none if the request came before the system call of the park
        place.Free();
    }

    [Fact]
    public void T19_LastAnnounced_IsChosenFirst()
    {
        Parker[] places = [new(_signal), new(_signal), new(_signal)];
        foreach (Parker place in places)
        {
            place.Announce(asSentinel: false);
        }

        for (int expected = places.Length - 1; expected >= 0; expected--)
        {
            Assert.Equal(RequestOutcome.Woke, _signal.Request());
            Assert.True(places[expected].Park(TimeSpan.Zero), $"Number {expected} was not the one chosen.");
            _signal.Acknowledge();
            Assert.Equal(expected, Idle);
        }

        Array.ForEach(places, place => place.Free());
    }

    [Fact]
    public void MiddleOfTheStack_CanWithdraw()
    {
        Parker[] places = [new(_signal), new(_signal), new(_signal)];
        Array.ForEach(places, place => place.Announce(asSentinel: false));

        Assert.False(places[1].Withdraw());
        Assert.Equal(2, Idle);
        _signal.Request();
        Assert.True(places[2].Park(TimeSpan.Zero));
        _signal.Acknowledge();
        _signal.Request();
        Assert.True(places[0].Park(TimeSpan.Zero));
        _signal.Acknowledge();
        Assert.Equal(0UL, Bits);

        Array.ForEach(places, place => place.Free());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(20)]
    public void Timeout_EndsTheAnnouncement(int milliseconds)
    {
        var place = new Parker(_signal);
        place.Announce(asSentinel: true);
        Assert.Equal(SignalWord.Sentinel | (1UL << SignalWord.IdleShift), Bits);

        Assert.False(place.Park(TimeSpan.FromMilliseconds(milliseconds)));
        Assert.Equal(0UL, Bits);
        Assert.Equal(RequestOutcome.NotNeeded, _signal.Request());
        place.Free();
    }

    [Fact]
    public void SentinelStaysParked_WhileAnotherWorkerCanBeChosen()
    {
        Parker other = new(_signal), sentinel = new(_signal);
        other.Announce(asSentinel: false);
        Assert.True(sentinel.Announce(asSentinel: true)); // the later one, which would be chosen first

        _signal.Request();
        Assert.True(other.Park(Timeout.InfiniteTimeSpan));
        _signal.Acknowledge();
        Assert.Equal(SignalWord.Sentinel | (1UL << SignalWord.IdleShift), Bits);

        _signal.Request();
        Assert.True(sentinel.Park(Timeout.InfiniteTimeSpan));
        _signal.Acknowledge();
        Assert.Equal(0UL, Bits);
        other.Free();
        sentinel.Free();
    }

    [Fact]
    public void OneWatcherAtATime()
    {
        Parker first = new(_signal), second = new(_signal);
        Assert.True(first.Announce(asSentinel: true));
        Assert.False(second.Announce(asSentinel: true));
        Assert.Equal(1, Idle);
        Assert.True(second.Announce(asSentinel: false));

        Assert.False(first.Withdraw());
        Assert.Equal(1UL << SignalWord.IdleShift, Bits);
        Assert.True(first.Announce(asSentinel: true));
        Assert.False(first.Withdraw());
        Assert.False(second.Withdraw());
        Assert.Equal(0UL, Bits);
        first.Free();
        second.Free();
    }
}
