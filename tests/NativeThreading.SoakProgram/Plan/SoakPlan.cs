namespace NativeThreading.SoakProgram.Plan;

/// <summary>
/// What a soak does, as a function of its seed: each track, and each round of it, has a generator of its own, so that how
/// far the other tracks get changes nothing.
/// </summary>
/// <param name="seed">The soak's.</param>
/// <param name="poolIngredients">How many ingredients there are for pools.</param>
/// <param name="loopIngredients">And for loops.</param>
internal sealed class SoakPlan(ulong seed, int poolIngredients, int loopIngredients)
{
    /// <summary>The seed of one track.</summary>
    public ulong Track(int track) => Dice.Derive(seed, (ulong)track);

    /// <summary>A pool with many things on it.</summary>
    public PoolRoundPlan Mixed(int track, long round) => Pool(track, round, mostSteps: 5, mostSize: 3);

    /// <summary>A pool with little on it, which ends soon.</summary>
    public PoolRoundPlan Recycled(int track, long round) => Pool(track, round, mostSteps: 2, mostSize: 1);

    /// <summary>A loop with many things on it.</summary>
    public LoopRoundPlan MixedLoop(int track, long round) => Loop(track, round, mostSteps: 4, mostSize: 2);

    /// <summary>A loop with little on it, which ends soon.</summary>
    public LoopRoundPlan RecycledLoop(int track, long round) => Loop(track, round, mostSteps: 1, mostSize: 1);

    private LoopRoundPlan Loop(int track, long round, int mostSteps, int mostSize)
    {
        var dice = new Dice(Dice.Derive(Track(track), (ulong)round));
        bool hasSmallStack = dice.OneIn(4);
        bool startsFail = dice.OneIn(8);
        Step[] steps = Steps(dice, mostSteps, mostSize, loopIngredients);
        return new LoopRoundPlan(hasSmallStack, startsFail, steps, dice.Of(Enum.GetValues<LoopEnding>()), End(dice, steps), dice.Next());
    }

    private PoolRoundPlan Pool(int track, long round, int mostSteps, int mostSize)
    {
        var dice = new Dice(Dice.Derive(Track(track), (ulong)round));
        PoolShape shape = PoolShape.Roll(dice);
        Step[] steps = Steps(dice, mostSteps, mostSize, poolIngredients);
        return new PoolRoundPlan(shape, steps, dice.Of(Enum.GetValues<PoolEnding>()), End(dice, steps), dice.Next());
    }

    private static Step[] Steps(Dice dice, int most, int mostSize, int ingredients)
    {
        var steps = new Step[dice.Between(1, most)];
        for (int i = 0; i < steps.Length; i++)
        {
            steps[i] = new Step(dice.Next(ingredients), dice.Between(1, mostSize), dice.OneIn(2), dice.Next());
        }

        return steps;
    }

    private static int End(Dice dice, Step[] steps) => dice.OneIn(3) ? dice.Next(steps.Length) : steps.Length;
}
