using NativeThreading.SoakProgram.Plan;

namespace NativeThreading.SoakProgram.Pools;

/// <summary>One kind of thing that is done with a pool.</summary>
/// <remarks>The pool may be shutting down already, or begin to at any moment: an ingredient waits for nothing that a dropped
/// item would have brought about.</remarks>
internal abstract class Ingredient
{
    public abstract string Name { get; }

    /// <summary>Called on the track's thread. The work that it starts may continue after it, with tickets of the round.</summary>
    public abstract void Run(PoolRound round, Step step, Dice dice);

    /// <summary>How many, by the size of a step.</summary>
    protected static int Count(Step step, Dice dice) => step.Size switch
    {
        1 => dice.Between(1, 12),
        2 => dice.Between(10, 60),
        _ => dice.Between(50, 300),
    };
}
