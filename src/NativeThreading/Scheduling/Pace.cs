using System.Runtime.InteropServices;
using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>
/// How many items a worker runs before it checks more than its own queues. There are two checks: one reads the clock, which shows
/// whether items have become long. The other scans the other queues, at every n-th check of the clock.
/// </summary>
/// <remarks>
/// The worker counts down with each item, so this is on separate cache lines: others read its neighbours as often as
/// they queue something. Reading the clock costs as much as two items, so it is read once per check.
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = 3 * PaddedIndex.Line)]
internal struct Pace
{
    /// <summary>Items until the next check of either kind. Thieves write it, too.</summary>
    [FieldOffset(PaddedIndex.Line)]
    public int PicksLeft;

    /// <summary>Items between two scans of the other queues.</summary>
    [FieldOffset(PaddedIndex.Line + 8)]
    private int _picksPerLook;

    /// <summary>Items between two readings of the clock; fewer while other workers hold older items.</summary>
    [FieldOffset(PaddedIndex.Line + 12)]
    private int _picksPerCheck;

    /// <summary>Items from the next reading of the clock to the next scan of the other queues.</summary>
    [FieldOffset(PaddedIndex.Line + 16)]
    private int _picksBehindCheck;

    /// <summary>When it last checked the other queues.</summary>
    [FieldOffset(PaddedIndex.Line + 24)]
    private long _lastLook;

    /// <summary>When it last read the clock.</summary>
    [FieldOffset(PaddedIndex.Line + 32)]
    private long _lastCheck;

    /// <summary>Checks after the first item.</summary>
    public static Pace AtOnce => new() { PicksLeft = 1, _picksPerLook = 1, _picksPerCheck = 1 };

    /// <summary>Whether this check also scans the other queues.</summary>
    public readonly bool IsAtOtherQueues => _picksBehindCheck <= 0;

    /// <summary>
    /// A scan of the other queues starts. The longer the items of the last interval were, the sooner the next scan comes. After
    /// an abrupt change from short to long items one scan can be late.
    /// </summary>
    public void BeginLook(long now)
    {
        long elapsed = now - _lastLook;
        _lastLook = now;
        long picks = elapsed <= 0 ? WorkerTuning.MostPicksPerLook : _picksPerLook * (WorkerTuning.TimeBetweenLooks / 4) / elapsed;
        _picksPerLook = (int)Math.Clamp(picks, 1, Math.Min(WorkerTuning.MostPicksPerLook, _picksPerLook * 4));
        _picksBehindCheck = _picksPerLook;
    }

    /// <summary>
    /// Whether items have been long since the clock was last read. Sets the next reading: after each item while they are long
    /// and others hold some, after a few while others hold some at all.
    /// </summary>
    public bool Check(long now, bool othersHold)
    {
        bool isLong = now - _lastCheck >= _picksPerCheck * WorkerTuning.LongItem;
        _lastCheck = now;
        int picks = !othersHold ? _picksBehindCheck : Math.Min(isLong ? 1 : WorkerTuning.PicksPerCheck, _picksBehindCheck);
        PicksLeft = _picksPerCheck = picks;
        _picksBehindCheck -= picks;
        return isLong;
    }

    /// <summary>
    /// The clock is read again after the first item: if the items of other workers have become long, so has all of the batch that
    /// starts now, because it is newer.
    /// </summary>
    public void CheckSoon(long now)
    {
        _lastCheck = now;
        _picksBehindCheck += Math.Max(PicksLeft - 1, 0);
        PicksLeft = _picksPerCheck = 1;
    }
}
