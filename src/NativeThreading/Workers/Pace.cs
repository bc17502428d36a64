using System.Runtime.InteropServices;
using NativeThreading.Queues;

namespace NativeThreading.Workers;

/// <summary>
/// What a worker writes with each item, or with each look at others, on cache lines of its own: others read the fields beside
/// it, such as whether the worker is looking, as often as they queue something.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = 3 * PaddedIndex.Line)]
internal struct Pace
{
    /// <summary>Items until the next look of any kind. A thief writes it, too.</summary>
    [FieldOffset(PaddedIndex.Line)]
    public int PicksLeft;

    /// <summary>Items of the current group that have ended and are not reported yet.</summary>
    [FieldOffset(PaddedIndex.Line + 4)]
    public int GroupCompleted;

    /// <summary>Items between two looks at the other lanes.</summary>
    [FieldOffset(PaddedIndex.Line + 8)]
    public int PicksPerLook;

    /// <summary>Items between two looks at the clock, which are fewer while others hold older items.</summary>
    [FieldOffset(PaddedIndex.Line + 12)]
    public int PicksPerCheck;

    /// <summary>Items from the next look at the clock to the next one at the other lanes.</summary>
    [FieldOffset(PaddedIndex.Line + 16)]
    public int PicksBehindCheck;

    /// <summary>Batches of a few items in a row.</summary>
    [FieldOffset(PaddedIndex.Line + 20)]
    public int SmallBatches;

    /// <summary>When it last looked at the other lanes.</summary>
    [FieldOffset(PaddedIndex.Line + 24)]
    public long LastLook;

    /// <summary>When it last looked at the clock.</summary>
    [FieldOffset(PaddedIndex.Line + 32)]
    public long LastCheck;

    /// <summary>Looks after the first item.</summary>
    public static Pace AtOnce => new() { PicksLeft = 1, PicksPerLook = 1, PicksPerCheck = 1 };
}
