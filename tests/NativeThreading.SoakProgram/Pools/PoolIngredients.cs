using NativeThreading.SoakProgram.Pools.Ingredients;

namespace NativeThreading.SoakProgram.Pools;

/// <summary>The catalogue. A plan names its entries by their places: new ones go to the end, or old seeds mean other plans.</summary>
internal static class PoolIngredients
{
    public static readonly Ingredient[] All =
    [
        new RawItems(),
        new Producers(),
        new Groups(),
        new Ingredients.Tasks(),
        new Awaits(),
        new Contexts(),
        new Blocking(),
        new Throwing(),
        new Interrupts(),
        new Cancellations(),
        new Ingredients.Waiting(),
        new Deep(),
        new Trickle(),
        new PingPong(),
        new Mutual(),
        new ParallelLoops(),
        new Ingredients.Ranges(),
        new Rescues(),
        new Timers(),
        new Keys(),
        new Options(),
        new Pauses(),
        new PoolLoops(),
        new BoundedOperations(),
    ];
}
