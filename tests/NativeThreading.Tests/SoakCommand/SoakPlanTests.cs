using NativeThreading.SoakProgram.Plan;

namespace NativeThreading.Tests.SoakCommand;

/// <summary>A seed in a report must mean the same plan when it is repeated.</summary>
public sealed class SoakPlanTests
{
    private const int PoolIngredients = 16;
    private const int LoopIngredients = 8;
    private const int Rounds = 400;

    [Fact]
    public void Dice_AreSplitMix64()
    {
        var dice = new Dice(0);
        Assert.Equal([0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F], new[] { dice.Next(), dice.Next(), dice.Next() });
    }

    [Fact]
    public void SameSeed_RepeatsEveryRoundOfEveryTrack()
    {
        Assert.Equal(Describe(NewPlan(7)), Describe(NewPlan(7)));
    }

    [Fact]
    public void RoundIsTheSame_WhateverWasAskedForBefore()
    {
        SoakPlan plan = NewPlan(7);
        string inOrder = Describe(plan);
        string last = Describe(NewPlan(7).Mixed(1, Rounds - 1));
        Assert.EndsWith(last, Describe(plan, tracks: [1]), StringComparison.Ordinal);
        Assert.Equal(inOrder, Describe(plan));
    }

    [Fact]
    public void OtherSeedTrackOrRound_IsAnotherPlan()
    {
        string[] plans = [Describe(NewPlan(7), [0]), Describe(NewPlan(8), [0]), Describe(NewPlan(7), [1])];
        Assert.Equal(plans.Length, plans.Distinct().Count());

        string[] rounds = [.. Enumerable.Range(0, Rounds).Select(static round => Describe(NewPlan(7).Mixed(0, round)))];
        Assert.Equal(Rounds, rounds.Distinct().Count());
    }

    [Fact]
    public void EveryIngredientEndingAndShape_Comes()
    {
        SoakPlan plan = NewPlan(7);
        PoolRoundPlan[] pools = [.. Enumerable.Range(0, Rounds).Select(round => plan.Recycled(0, round))];
        LoopRoundPlan[] loops = [.. Enumerable.Range(0, Rounds).Select(round => plan.MixedLoop(2, round))];
        Assert.Equal(Enumerable.Range(0, PoolIngredients), pools.SelectMany(static p => p.Steps).Select(static s => s.Ingredient).Distinct().Order());
        Assert.Equal(Enumerable.Range(0, LoopIngredients), loops.SelectMany(static p => p.Steps).Select(static s => s.Ingredient).Distinct().Order());
        Assert.Equal(Enum.GetValues<PoolEnding>(), pools.Select(static p => p.Ending).Distinct().Order());
        Assert.Equal(Enum.GetValues<LoopEnding>(), loops.Select(static p => p.Ending).Distinct().Order());
        Assert.Contains(pools, static p => p.EndsBeforeStep < p.Steps.Length); // the rest races the end
        Assert.Contains(pools, static p => p.EndsBeforeStep == p.Steps.Length);
        Assert.Contains(pools, static p => p.Shape.StackSize == PoolShape.SmallStack);
        Assert.Contains(pools, static p => p.Shape.StartsFail);
        Assert.Equal(Enum.GetValues<QueueFullMode>(), pools.Where(static p => p.Shape.QueueLimit is not null).Select(static p => p.Shape.Mode).Distinct().Order());
    }

    [Fact]
    public void ShapesAndSteps_AreWithinTheirRanges()
    {
        SoakPlan plan = NewPlan(7);
        Assert.All(Enumerable.Range(0, Rounds).Select(round => plan.Mixed(0, round)), static p =>
        {
            Assert.InRange(p.Shape.MinThreads, 0, p.Shape.MaxThreads);
            Assert.InRange(p.Steps.Length, 1, 5);
            Assert.InRange(p.EndsBeforeStep, 0, p.Steps.Length);
            Assert.All(p.Steps, static step => Assert.InRange(step.Size, 1, 3));
        });
        Assert.All(Enumerable.Range(0, Rounds).Select(round => plan.Recycled(0, round)), static p => Assert.All(p.Steps, static step => Assert.Equal(1, step.Size)));
    }

    private static SoakPlan NewPlan(ulong seed) => new(seed, PoolIngredients, LoopIngredients);

    private static string Describe(SoakPlan plan, params int[] tracks) => string.Join('\n', (tracks.Length == 0 ? [0, 1, 2] : tracks)
        .SelectMany(track => Enumerable.Range(0, Rounds).Select(round =>
            $"{Describe(plan.Recycled(track, round))} {plan.MixedLoop(track, round).Seed} {Describe(plan.Mixed(track, round))}")));

    private static string Describe(PoolRoundPlan plan) => $"{plan} {string.Join(' ', plan.Steps)}";
}
