using NativeThreading.SoakProgram.Plan;

namespace NativeThreading.SoakProgram.Loops;

/// <summary>One kind of thing that is done with a loop, which may be shutting down already.</summary>
internal abstract class LoopIngredient
{
    public abstract string Name { get; }

    /// <summary>Called on the track's thread. The work that it starts may continue after it, with tickets of the round.</summary>
    public abstract void Run(LoopRound round, Step step, Dice dice);

    /// <summary>How many, by the size of a step.</summary>
    protected static int Count(Step step, Dice dice) => step.Size == 1 ? dice.Between(1, 15) : dice.Between(10, 80);
}
