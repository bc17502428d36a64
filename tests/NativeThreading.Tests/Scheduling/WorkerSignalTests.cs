using NativeThreading.Platform;
using NativeThreading.Scheduling;

namespace NativeThreading.Tests.Scheduling;

/// <summary>The state word, transition by transition, without a parked worker.</summary>
public sealed class WorkerSignalTests
{
    private readonly WorkerSignal _signal = new();

    private ulong Bits => (uint)_signal.Word;

    [Fact]
    public void NewSignal_HasNobody()
    {
        Assert.Equal(0UL, _signal.Word);
        Assert.Equal(0, _signal.WakeCount);
    }

    [Fact]
    public void T7_NobodyCanBeHad_RequestIsNotNeededAndLeavesNoMark()
    {
        Assert.Equal(RequestOutcome.NotNeeded, _signal.Request());
        Assert.Equal(0UL, Bits);
    }

    [Fact]
    public void Growable_RequestAsksForAThread_OnceUntilAcknowledged()
    {
        _signal.SetGrowable(true);
        Assert.Equal(RequestOutcome.StartThread, _signal.Request());
        Assert.Equal(SignalWord.Requested | SignalWord.Growable, Bits);

        Assert.Equal(RequestOutcome.NotNeeded, _signal.Request());
        Assert.Equal(SignalWord.Requested | SignalWord.Growable, Bits);

        _signal.Acknowledge();
        Assert.Equal(SignalWord.Growable, Bits);
        Assert.Equal(RequestOutcome.StartThread, _signal.Request());
        Assert.Equal(0, _signal.WakeCount);
    }

    [Fact]
    public void NotGrowableAgain_RequestIsNotNeeded()
    {
        _signal.SetGrowable(true);
        _signal.SetGrowable(false);
        Assert.Equal(0UL, Bits);
        Assert.Equal(RequestOutcome.NotNeeded, _signal.Request());
    }

    [Fact]
    public void Lingerer_MakesRequestsUnnecessary_AndThereIsOnlyOne()
    {
        _signal.SetGrowable(true);
        Assert.True(_signal.TryBeginLinger());
        Assert.False(_signal.TryBeginLinger());
        Assert.Equal(RequestOutcome.NotNeeded, _signal.Request());
        Assert.Equal(SignalWord.Lingering | SignalWord.Growable, Bits);

        _signal.EndLinger();
        Assert.Equal(RequestOutcome.StartThread, _signal.Request());
        Assert.True(_signal.TryBeginLinger());
    }

    [Fact]
    public void Request_CarriesTheTimeOfItsMaking()
    {
        _signal.SetGrowable(true);
        uint before = WorkerSignal.Now;
        _signal.Request();
        uint after = WorkerSignal.Now;

        uint stamp = WorkerSignal.Stamp(_signal.Word);
        Assert.True(stamp - before <= after - before, $"The stamp {stamp} is not within {before}..{after}.");
    }

    [Fact]
    public void T5_ExpiredRequest_IsTakenBackUnlessItWasHonoured()
    {
        _signal.SetGrowable(true);
        _signal.Request();
        ulong expired = _signal.Word;

        Assert.True(_signal.TryWithdrawRequest(expired));
        Assert.Equal(SignalWord.Growable, Bits);
        Assert.False(_signal.TryWithdrawRequest(expired)); // another thread was faster
        Assert.False(_signal.TryWithdrawRequest(_signal.Word)); // nothing is outstanding

        _signal.Request();
        expired = _signal.Word;
        _signal.Acknowledge();
        Assert.False(_signal.TryWithdrawRequest(expired));
    }

    [Fact]
    public void Throttle_BeginsOnlyWithASentinel_AndWithoutALingerer()
    {
        Assert.False(_signal.TryBeginThrottle());
        Assert.Equal(0UL, Bits);

        var sentinel = new Parker(_signal);
        sentinel.Announce(asSentinel: true);
        Assert.True(_signal.TryBeginThrottle());
        Assert.Equal(RequestOutcome.NotNeeded, _signal.Request());
        Assert.False(_signal.TryBeginThrottle()); // another worker
        _signal.EndLinger();

        Assert.True(_signal.TryBeginLinger());
        Assert.False(_signal.TryBeginThrottle());
        Assert.NotEqual(0UL, Bits & SignalWord.Lingering);
        _signal.EndLinger();

        // A sentinel that was chosen is none any more.
        _signal.Request();
        Assert.False(_signal.TryBeginThrottle());
        Assert.True(sentinel.Park(Timeout.InfiniteTimeSpan));
        _signal.Acknowledge();
        Assert.Equal(0UL, Bits);
        sentinel.Free();
    }

    [Fact]
    public void IdleCount_IsReadFromItsFieldOnly()
    {
        Assert.Equal(0, WorkerSignal.IdleCount(SignalWord.Requested | SignalWord.Growable | (0xFFFFFFFFUL << 32)));
        Assert.Equal(3, WorkerSignal.IdleCount((3UL << SignalWord.IdleShift) | SignalWord.Sentinel));
    }
}
