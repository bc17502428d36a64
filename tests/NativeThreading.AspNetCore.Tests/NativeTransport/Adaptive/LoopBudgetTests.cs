using NativeThreading.Kestrel.Adaptive;

namespace NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;

/// <summary>Who leaves a loop whose time was used up.</summary>
public sealed class LoopBudgetTests
{
    private const long Millisecond = 1_000_000;

    private readonly List<string> _returns = [];
    private readonly LoopBudget _budget = new();
    private long _now;

    [Fact]
    public void MoreThanTheBudget_SendsTheCodeAway_ThatHasUsedMost()
    {
        EndpointProfile often = Proven("often"), seldom = Proven("seldom");
        Charge(often, 6);
        Charge(often, 6);
        Charge(seldom, 8);
        Assert.Empty(_returns);

        Charge(seldom, 1);
        Assert.Equal(["often"], _returns);
        Assert.True(seldom.RunsOnLoops && !often.RunsOnLoops);
    }

    [Fact]
    public void OneVeryLongPiece_SendsItsCodeAwayAtOnce_AndNoOther()
    {
        EndpointProfile other = Proven("other"), heavy = Proven("heavy");
        Charge(other, 20);
        Charge(heavy, 300);

        Assert.Equal(["heavy"], _returns);
    }

    [Fact]
    public void WhatIsOlderThanASecond_DoesNotCount()
    {
        EndpointProfile profile = Proven("profile");
        for (int i = 0; i < 20; i++)
        {
            Charge(profile, 9);
            _now += Learning.BudgetTime / 2;
            _now++;
        }

        Assert.Empty(_returns);
        _now -= 2;
        Charge(profile, 3);
        Assert.Equal(["profile"], _returns);
    }

    [Fact]
    public void CodeThatHasGone_DoesNotSendOthersAway()
    {
        EndpointProfile first = Proven("first"), second = Proven("second");
        Charge(first, 21);
        Charge(second, 20);
        Assert.Equal(["first"], _returns);
    }

    private void Charge(EndpointProfile profile, long milliseconds) => _budget.Charge(profile, Verdict.Computes, milliseconds * Millisecond, _now);

    private EndpointProfile Proven(string name)
    {
        var profile = new EndpointProfile(name, (profile, _) => _returns.Add(profile.Name));
        for (int i = 0; i < Learning.ProofOfShort; i++)
        {
            profile.Judge(Verdict.Short);
        }

        return profile;
    }
}
