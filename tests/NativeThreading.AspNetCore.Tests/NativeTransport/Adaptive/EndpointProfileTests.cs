using NativeThreading.Kestrel.Adaptive;

namespace NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;

/// <summary>The numbers by which code goes to the loops and back.</summary>
public sealed class EndpointProfileTests
{
    private readonly List<Verdict> _returns = [];

    [Fact]
    public void ThirtyShortPiecesInARow_AreTheProof()
    {
        EndpointProfile profile = NewProfile();
        Judge(profile, Verdict.Short, Learning.ProofOfShort - 1);
        Assert.False(profile.RunsOnLoops);

        profile.Judge(Verdict.Short);
        Assert.True(profile.RunsOnLoops);
    }

    [Theory]
    [InlineData(nameof(Verdict.Computes), 30)]
    [InlineData(nameof(Verdict.Waits), 30)]
    [InlineData(nameof(Verdict.Unknown), 1)] // neither for nor against it
    public void LongPiece_BeginsTheProofAnew(string verdict, int missing)
    {
        EndpointProfile profile = NewProfile();
        Judge(profile, Verdict.Short, Learning.ProofOfShort - 1);
        profile.Judge(Enum.Parse<Verdict>(verdict));

        Judge(profile, Verdict.Short, missing - 1);
        Assert.False(profile.RunsOnLoops);
        profile.Judge(Verdict.Short);
        Assert.True(profile.RunsOnLoops);
    }

    [Fact]
    public void OneProvenBlock_SendsItBack()
    {
        EndpointProfile profile = Proven();
        profile.Judge(Verdict.Blocks);

        Assert.False(profile.RunsOnLoops);
        Assert.Equal([Verdict.Blocks], _returns);
    }

    [Theory]
    [InlineData(49, true)] // the third is the 99th after the first
    [InlineData(50, false)]
    public void ThreeLongCallsOfAHundred_SendItBack(int between, bool returns)
    {
        EndpointProfile profile = Proven();
        for (int i = 0; i < Learning.LongCalls; i++)
        {
            Assert.True(profile.RunsOnLoops);
            profile.Judge(Verdict.Computes);
            for (int call = 1; call < between; call++)
            {
                profile.Called(isComplete: true);
            }

            if (i == 0)
            {
                profile.Called(isComplete: true);
            }
        }

        Assert.Equal(returns, !profile.RunsOnLoops);
        Assert.Equal(returns ? 1 : 0, _returns.Count);
    }

    [Fact]
    public void WhatWasSentBack_ReturnsAfterAThousandShortPieces()
    {
        EndpointProfile profile = Proven();
        profile.Judge(Verdict.Blocks);

        Judge(profile, Verdict.Short, Learning.ProofAfterReturn - 1);
        Assert.False(profile.RunsOnLoops);
        profile.Judge(Verdict.Short);
        Assert.True(profile.RunsOnLoops);
    }

    [Fact]
    public void EachFurtherReturn_IsForgivenTenTimesLater()
    {
        EndpointProfile profile = Proven();
        profile.Judge(Verdict.HoldsUp);
        Judge(profile, Verdict.Short, Learning.ProofAfterReturn);
        Assert.True(profile.RunsOnLoops);
        profile.Judge(Verdict.HoldsUp);

        Judge(profile, Verdict.Short, (Learning.HarderProof * Learning.ProofAfterReturn) - 1);
        Assert.False(profile.RunsOnLoops);
        profile.Judge(Verdict.Short);
        Assert.True(profile.RunsOnLoops);
        Assert.Equal([Verdict.HoldsUp, Verdict.HoldsUp], _returns);
    }

    [Theory]
    [InlineData(0, Learning.VeryLong, Learning.ProofOfShort)] // the first calls are compiled
    [InlineData(1, Learning.VeryLong, Learning.ProofAfterReturn)]
    [InlineData(1, Learning.VeryLong - 1, Learning.ProofOfShort)]
    public void CodeThatIsShortAtTimes_AndVeryLongAtOthers_NeedsAThousandShortPieces(int shortBefore, long held, int needed)
    {
        EndpointProfile profile = NewProfile();
        Judge(profile, Verdict.Short, shortBefore);
        profile.Judge(Verdict.Computes, held);

        Judge(profile, Verdict.Short, needed - 1);
        Assert.False(profile.RunsOnLoops);
        profile.Judge(Verdict.Short);
        Assert.True(profile.RunsOnLoops);
    }

    [Fact]
    public void CallThatSeemedLong_HasTheNextOnesWatched()
    {
        EndpointProfile profile = Proven();
        Assert.False(profile.IsWatched);

        profile.SeemedLong();
        for (int i = 0; i < Learning.Window; i++)
        {
            Assert.True(profile.IsWatched);
            profile.Judge(Verdict.Short);
        }

        Assert.False(profile.IsWatched);
    }

    [Fact]
    public void LongByTheClock_HasTheNextOnesWatchedClosely_AndSendsNothingBack()
    {
        EndpointProfile profile = Proven();
        Assert.False(profile.IsWatchedClosely);

        Judge(profile, Verdict.Long, 2 * Learning.LongCalls);

        Assert.True(profile is { RunsOnLoops: true, IsWatched: true, IsWatchedClosely: true });
        Judge(profile, Verdict.Short, Learning.Window);
        Assert.False(profile.IsWatchedClosely);
        Assert.Empty(_returns);
    }

    [Fact]
    public void OnThePool_EachSegmentIsWatchedClosely() => Assert.True(new EndpointProfile("new", returned: null).IsWatchedClosely);

    [Fact]
    public void OfCodeThatAwaits_OneCallOfSixteenIsWatched()
    {
        EndpointProfile profile = Proven();
        int watched = 0;
        for (int i = 0; i < 10 * Learning.AwaitingCallsPerLook; i++)
        {
            watched += profile.IsWatched ? 1 : 0;
            profile.Called(isComplete: false);
        }

        Assert.InRange(watched, 9, 10);
    }

    [Fact]
    public void AwaitsThatCompleteAlone_LeaveItInPlace_UntilTheyDoNot()
    {
        EndpointProfile profile = Proven();
        Resume(profile, isAlone: true, Learning.ProofOfElsewhere - 1);
        Assert.False(profile.ContinuesInPlace);
        Resume(profile, isAlone: true, 1);
        Assert.True(profile.ContinuesInPlace);

        Resume(profile, isAlone: false, (Learning.ProofOfElsewhere / 2) - 1);
        Assert.True(profile.ContinuesInPlace);
        Resume(profile, isAlone: false, 1);
        Assert.False(profile.ContinuesInPlace);
    }

    /// <summary>A thread of the built-in pool lacks a processor often, and each close look costs some microseconds.</summary>
    [Fact]
    public void OffLoops_CodeThatAwaitsIsNotWatchedMore_WhereItSeemedLong()
    {
        EndpointProfile profile = Proven();
        profile.SeemedLongOffLoops();
        Assert.True(profile.IsWatchedOffLoops);

        profile = Proven();
        profile.Called(isComplete: false);
        profile.SeemedLongOffLoops();
        Assert.False(profile.IsWatched);
        Assert.Equal(1, Enumerable.Range(0, Learning.AwaitingCallsPerLookOffLoops).Count(_ =>
        {
            bool isWatched = profile.IsWatchedOffLoops;
            profile.Called(isComplete: false);
            return isWatched;
        }));
        profile.SeemedLong(); // on a loop
        int watched = 0;
        for (int i = 0; i < 4 * Learning.AwaitingCallsPerLook; i++)
        {
            Assert.True(profile.IsWatched);
            watched += profile.IsWatchedOffLoops ? 1 : 0;
            profile.Called(isComplete: false);
        }

        Assert.Equal(4, watched);
    }

    [Fact]
    public void WhatIsSentBack_GoesOnOnThePool_AndHasToBeFoundAlone_Anew()
    {
        EndpointProfile profile = Proven();
        Resume(profile, isAlone: true, Learning.ProofOfElsewhere);
        profile.Judge(Verdict.Blocks);
        Assert.False(profile.ContinuesInPlace);
        Judge(profile, Verdict.Short, Learning.ProofAfterReturn);

        Assert.True(profile is { RunsOnLoops: true, ContinuesInPlace: false });
    }

    [Fact]
    public void FixedOne_ComesBackToItsLoop()
    {
        var profile = new EndpointProfile("fixed", null) { IsFixed = true };
        Resume(profile, isAlone: true, Learning.ProofOfElsewhere);

        Assert.False(profile.ContinuesInPlace);
    }

    [Fact]
    public void FixedOne_LearnsNothing()
    {
        var profile = new EndpointProfile("fixed", (_, verdict) => _returns.Add(verdict)) { IsFixed = true };
        Judge(profile, Verdict.Blocks, 100);

        Assert.True(profile.RunsOnLoops);
        Assert.False(profile.IsWatched);
        Assert.Empty(_returns);
    }

    private static void Judge(EndpointProfile profile, Verdict verdict, int times)
    {
        for (int i = 0; i < times; i++)
        {
            profile.Judge(verdict);
        }
    }

    private static void Resume(EndpointProfile profile, bool isAlone, int times)
    {
        for (int i = 0; i < times; i++)
        {
            profile.Resumes(isAlone);
        }
    }

    private EndpointProfile NewProfile() => new("profile", (_, verdict) => _returns.Add(verdict));

    private EndpointProfile Proven()
    {
        EndpointProfile profile = NewProfile();
        Judge(profile, Verdict.Short, Learning.ProofOfShort);
        return profile;
    }
}
