namespace NativeThreading.EventLoops.Turns;

/// <summary>The word that says who drives a loop: a number for each callback and each takeover, and whether the driver is outside any
/// callback, inside one, or inside one and at what only the driver may touch. Only the driver leaves the first and the last, so it
/// stores. A takeover is possible inside alone, so a callback's end and each hold are one CAS, which fails where the loop was taken.
/// Model: native/models/loop_handover.pml.</summary>
internal struct LoopOwner
{
    private const long Outside = 0;
    private const long Inside = 1;
    private const long Held = 2;
    private const int NumberShift = 2;

    private long _word;

    /// <summary>The last callback or takeover.</summary>
    public readonly long Number => Volatile.Read(in _word) >> NumberShift;

    /// <summary>The number of the callback that runs and could be relieved; 0: there is none.</summary>
    public readonly long TakeableNumber => Volatile.Read(in _word) is var word && (word & Held) == 0 && (word & Inside) != 0 ? word >> NumberShift : 0;

    /// <summary>The driver begins a callback; returns its number.</summary>
    public long Begin()
    {
        long number = Number + 1;
        Volatile.Write(ref _word, (number << NumberShift) | Inside); // pairs with the CAS of TryTake
        return number;
    }

    /// <summary>A callback has ended. <see langword="false"/>: another thread drives the loop.</summary>
    public bool TryEnd(long number)
    {
        Chaos.Point("LoopOwner.TryEnd");
        return TryChange(number, Inside, Outside);
    }

    /// <summary>From here on no thread takes the loop, until <see cref="Release"/>. <see langword="false"/>: another thread has.</summary>
    public bool TryHold(long number)
    {
        Chaos.Point("LoopOwner.TryHold");
        return TryChange(number, Inside, Held);
    }

    public void Release(long number)
    {
        Chaos.Point("LoopOwner.Release");
        Volatile.Write(ref _word, (number << NumberShift) | Inside); // pairs with the CAS of TryTake
    }

    /// <summary>Takes the loop over from the callback of that number, if that still runs.</summary>
    public bool TryTake(long number)
    {
        Chaos.Point("LoopOwner.TryTake");
        return Interlocked.CompareExchange(ref _word, ((number + 1) << NumberShift) | Outside, (number << NumberShift) | Inside)
            == ((number << NumberShift) | Inside);
    }

    private bool TryChange(long number, long from, long to) =>
        Interlocked.CompareExchange(ref _word, (number << NumberShift) | to, (number << NumberShift) | from) == ((number << NumberShift) | from);
}
