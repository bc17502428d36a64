namespace NativeThreading.SoakProgram.Plan;

/// <summary>
/// A generator of numbers (SplitMix64) whose sequence follows from its seed on every runtime, so that a seed in a report
/// still means the same plan years later. Not thread-safe: each track, round and step has its own.
/// </summary>
internal sealed class Dice(ulong seed)
{
    private ulong _state = seed;

    /// <summary>A seed that follows from another one and a number, and has nothing else in common with it.</summary>
    public static ulong Derive(ulong seed, ulong number) => Mix(seed + Mix(number + 0x9E3779B97F4A7C15));

    public ulong Next() => Mix(_state += 0x9E3779B97F4A7C15);

    /// <summary>0 to <paramref name="bound"/> - 1.</summary>
    public int Next(int bound) => (int)(Next() % (uint)bound);

    /// <summary>Both ends included.</summary>
    public int Between(int least, int most) => least + Next(most - least + 1);

    public bool OneIn(int chances) => Next(chances) == 0;

    public T Of<T>(params ReadOnlySpan<T> values) => values[Next(values.Length)];

    private static ulong Mix(ulong z)
    {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }
}
