using NativeThreading.Kestrel.Adaptive;

namespace NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;

/// <summary>The numbers by which code goes to the loops and back.</summary>
public sealed class LearnedUnitTests
{
    private readonly List<Verdict> _returns = [];

    [Fact]
    public void ThirtyShortPiecesInARow_AreTheProof()
    {
        LearnedUnit unit = NewUnit();
        Judge(unit, Verdict.Short, Learning.ProofOfShort - 1);
        Assert.False(unit.RunsOnLoops);

        unit.Judge(Verdict.Short);
        Assert.True(unit.RunsOnLoops);
    }

    [Theory]
    [InlineData(nameof(Verdict.Computes), 30)]
    [InlineData(nameof(Verdict.Waits), 30)]
    [InlineData(nameof(Verdict.Unknown), 1)] // neither for nor against it
    public void LongPiece_BeginsTheProofAnew(string verdict, int missing)
    {
        LearnedUnit unit = NewUnit();
        Judge(unit, Verdict.Short, Learning.ProofOfShort - 1);
        unit.Judge(Enum.Parse<Verdict>(verdict));

        Judge(unit, Verdict.Short, missing - 1);
        Assert.False(unit.RunsOnLoops);
        unit.Judge(Verdict.Short);
        Assert.True(unit.RunsOnLoops);
    }

    [Fact]
    public void OneProvenBlock_SendsItBack()
    {
        LearnedUnit unit = Proven();
        unit.Judge(Verdict.Blocks);

        Assert.False(unit.RunsOnLoops);
        Assert.Equal([Verdict.Blocks], _returns);
    }

    [Theory]
    [InlineData(49, true)] // the third is the 99th behind the first
    [InlineData(50, false)]
    public void ThreeLongCallsOfAHundred_SendItBack(int between, bool returns)
    {
        LearnedUnit unit = Proven();
        for (int i = 0; i < Learning.LongCalls; i++)
        {
            Assert.True(unit.RunsOnLoops);
            unit.Judge(Verdict.Computes);
            for (int call = 1; call < between; call++)
            {
                unit.Called(isComplete: true);
            }

            if (i == 0)
            {
                unit.Called(isComplete: true);
            }
        }

        Assert.Equal(returns, !unit.RunsOnLoops);
        Assert.Equal(returns ? 1 : 0, _returns.Count);
    }

    [Fact]
    public void WhatWasSentBack_ReturnsAfterAThousandShortPieces()
    {
        LearnedUnit unit = Proven();
        unit.Judge(Verdict.Blocks);

        Judge(unit, Verdict.Short, Learning.ProofAfterReturn - 1);
        Assert.False(unit.RunsOnLoops);
        unit.Judge(Verdict.Short);
        Assert.True(unit.RunsOnLoops);
    }

    [Fact]
    public void EachFurtherReturn_IsForgivenTenTimesLater()
    {
        LearnedUnit unit = Proven();
        unit.Judge(Verdict.HoldsUp);
        Judge(unit, Verdict.Short, Learning.ProofAfterReturn);
        Assert.True(unit.RunsOnLoops);
        unit.Judge(Verdict.HoldsUp);

        Judge(unit, Verdict.Short, (Learning.HarderProof * Learning.ProofAfterReturn) - 1);
        Assert.False(unit.RunsOnLoops);
        unit.Judge(Verdict.Short);
        Assert.True(unit.RunsOnLoops);
        Assert.Equal([Verdict.HoldsUp, Verdict.HoldsUp], _returns);
    }

    [Theory]
    [InlineData(0, Learning.VeryLong, Learning.ProofOfShort)] // the first calls are compiled
    [InlineData(1, Learning.VeryLong, Learning.ProofAfterReturn)]
    [InlineData(1, Learning.VeryLong - 1, Learning.ProofOfShort)]
    public void CodeThatIsShortAtTimes_AndVeryLongAtOthers_NeedsAThousandShortPieces(int shortBefore, long held, int needed)
    {
        LearnedUnit unit = NewUnit();
        Judge(unit, Verdict.Short, shortBefore);
        unit.Judge(Verdict.Computes, held);

        Judge(unit, Verdict.Short, needed - 1);
        Assert.False(unit.RunsOnLoops);
        unit.Judge(Verdict.Short);
        Assert.True(unit.RunsOnLoops);
    }

    [Fact]
    public void CallThatSeemedLong_HasTheNextOnesWatched()
    {
        LearnedUnit unit = Proven();
        Assert.False(unit.IsWatched);

        unit.SeemedLong();
        for (int i = 0; i < Learning.Window; i++)
        {
            Assert.True(unit.IsWatched);
            unit.Judge(Verdict.Short);
        }

        Assert.False(unit.IsWatched);
    }

    [Fact]
    public void LongByTheClock_HasTheNextOnesWatchedClosely_AndSendsNothingBack()
    {
        LearnedUnit unit = Proven();
        Assert.False(unit.IsWatchedClosely);

        Judge(unit, Verdict.Long, 2 * Learning.LongCalls);

        Assert.True(unit is { RunsOnLoops: true, IsWatched: true, IsWatchedClosely: true });
        Judge(unit, Verdict.Short, Learning.Window);
        Assert.False(unit.IsWatchedClosely);
        Assert.Empty(_returns);
    }

    [Fact]
    public void OnThePool_EachPieceIsWatchedClosely() => Assert.True(new LearnedUnit("new", returned: null).IsWatchedClosely);

    [Fact]
    public void OfCodeThatAwaits_OneCallOfSixteenIsWatched()
    {
        LearnedUnit unit = Proven();
        int watched = 0;
        for (int i = 0; i < 10 * Learning.AwaitingCallsPerLook; i++)
        {
            watched += unit.IsWatched ? 1 : 0;
            unit.Called(isComplete: false);
        }

        Assert.InRange(watched, 9, 10);
    }

    [Fact]
    public void AwaitsThatCompleteAlone_LeaveItInPlace_UntilTheyDoNot()
    {
        LearnedUnit unit = Proven();
        Resume(unit, isAlone: true, Learning.ProofOfElsewhere - 1);
        Assert.False(unit.GoesOnInPlace);
        Resume(unit, isAlone: true, 1);
        Assert.True(unit.GoesOnInPlace);

        Resume(unit, isAlone: false, (Learning.ProofOfElsewhere / 2) - 1);
        Assert.True(unit.GoesOnInPlace);
        Resume(unit, isAlone: false, 1);
        Assert.False(unit.GoesOnInPlace);
    }

    /// <summary>A thread of the runtime's pool lacks a processor often, and each close look costs some microseconds.</summary>
    [Fact]
    public void OffLoops_CodeThatAwaitsIsNotWatchedMore_WhereItSeemedLong()
    {
        LearnedUnit unit = Proven();
        unit.SeemedLongOffLoops();
        Assert.True(unit.IsWatchedOffLoops);

        unit = Proven();
        unit.Called(isComplete: false);
        unit.SeemedLongOffLoops();
        Assert.False(unit.IsWatched);
        Assert.Equal(1, Enumerable.Range(0, Learning.AwaitingCallsPerLookOffLoops).Count(_ =>
        {
            bool isWatched = unit.IsWatchedOffLoops;
            unit.Called(isComplete: false);
            return isWatched;
        }));
        unit.SeemedLong(); // on a loop
        int watched = 0;
        for (int i = 0; i < 4 * Learning.AwaitingCallsPerLook; i++)
        {
            Assert.True(unit.IsWatched);
            watched += unit.IsWatchedOffLoops ? 1 : 0;
            unit.Called(isComplete: false);
        }

        Assert.Equal(4, watched);
    }

    [Fact]
    public void WhatIsSentBack_GoesOnOnThePool_AndHasToBeFoundAlone_Anew()
    {
        LearnedUnit unit = Proven();
        Resume(unit, isAlone: true, Learning.ProofOfElsewhere);
        unit.Judge(Verdict.Blocks);
        Assert.False(unit.GoesOnInPlace);
        Judge(unit, Verdict.Short, Learning.ProofAfterReturn);

        Assert.True(unit is { RunsOnLoops: true, GoesOnInPlace: false });
    }

    [Fact]
    public void FixedOne_ComesBackToItsLoop()
    {
        var unit = new LearnedUnit("fixed", null) { IsFixed = true };
        Resume(unit, isAlone: true, Learning.ProofOfElsewhere);

        Assert.False(unit.GoesOnInPlace);
    }

    [Fact]
    public void InTheOtherOrder_ItBeginsOnLoops_AndIsWatchedThere()
    {
        var unit = new LearnedUnit("other", (_, verdict) => _returns.Add(verdict), beginsOnLoops: true);
        Assert.True(unit.RunsOnLoops && unit.IsWatched);

        Judge(unit, Verdict.Waits, Learning.LongCalls);
        Assert.False(unit.RunsOnLoops);
    }

    [Fact]
    public void FixedOne_LearnsNothing()
    {
        var unit = new LearnedUnit("fixed", (_, verdict) => _returns.Add(verdict)) { IsFixed = true };
        Judge(unit, Verdict.Blocks, 100);

        Assert.True(unit.RunsOnLoops);
        Assert.False(unit.IsWatched);
        Assert.Empty(_returns);
    }

    private static void Judge(LearnedUnit unit, Verdict verdict, int times)
    {
        for (int i = 0; i < times; i++)
        {
            unit.Judge(verdict);
        }
    }

    private static void Resume(LearnedUnit unit, bool isAlone, int times)
    {
        for (int i = 0; i < times; i++)
        {
            unit.Resumes(isAlone);
        }
    }

    private LearnedUnit NewUnit() => new("unit", (_, verdict) => _returns.Add(verdict));

    private LearnedUnit Proven()
    {
        LearnedUnit unit = NewUnit();
        Judge(unit, Verdict.Short, Learning.ProofOfShort);
        return unit;
    }
}
