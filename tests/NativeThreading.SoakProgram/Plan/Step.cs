namespace NativeThreading.SoakProgram.Plan;

/// <summary>One ingredient of a round: which, how much of it, and the seed of whatever it rolls itself.</summary>
/// <param name="Ingredient">Its place in the catalogue.</param>
/// <param name="Size">Small, middle or large: 1, 2 or 3.</param>
/// <param name="IsAwaited">Whether the track waits for all of it before it continues.</param>
/// <param name="Seed">Of its own generator.</param>
internal readonly record struct Step(int Ingredient, int Size, bool IsAwaited, ulong Seed);
