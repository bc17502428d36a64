using NativeThreading.SoakProgram.Loops.Ingredients;

namespace NativeThreading.SoakProgram.Loops;

/// <summary>The catalogue. A plan names its entries by their places: new ones go to the end, or old seeds mean other plans.</summary>
internal static class LoopIngredients
{
    public static readonly LoopIngredient[] All =
    [
        new Posts(),
        new PostingThreads(),
        new Invocations(),
        new Timers(),
        new Delays(),
        new Sockets(),
        new Offloads(),
        new ThrowingCallbacks(),
        new BlockedLoops(),
    ];
}
