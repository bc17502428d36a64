namespace NativeThreading.EventLoops.Turns;

/// <summary>The word that identifies the driver of a loop: a number for each callback and each takeover, and one of three states. The driver is
/// outside any callback, inside one, or inside one and holding the driver's data. Only the driver leaves the first and the last state, so it uses
/// plain stores. A takeover is possible only in the second state, so the end of a callback and each hold are one CAS, which fails if the loop was
/// taken over.
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

    /// <summary>The number of the running callback from which the loop could be taken over; 0: there is none.</summary>
    public readonly long TakeableNumber => Volatile.Read(in _word) is var word && (word & Held) == 0 && (word & Inside) != 0 ? word >> NumberShift : 0;

    /// <summary>The driver starts a callback. Returns its number.</summary>
    public long Begin()
    {
        long number = Number + 1;
        Volatile.Write(ref _word, (number << NumberShift) | Inside); // pairs with the CAS of TryTake
        return number;
    }

    /// <summary>A callback has returned. <see langword="false"/>: another thread drives the loop.</summary>
    public bool TryEnd(long number)
    {
        Chaos.Point("LoopOwner.TryEnd");
        return TryChange(number, Inside, Outside);
    }

    /// <summary>From now on no thread takes the loop over, until <see cref="Release"/>. <see langword="false"/>: another thread has taken it
    /// over.</summary>
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

    /// <summary>Takes the loop over from the callback with that number, if it still runs.</summary>
    public bool TryTake(long number)
    {
        Chaos.Point("LoopOwner.TryTake");
        return Interlocked.CompareExchange(ref _word, ((number + 1) << NumberShift) | Outside, (number << NumberShift) | Inside)
            == ((number << NumberShift) | Inside);
    }

    private bool TryChange(long number, long from, long to) =>
        Interlocked.CompareExchange(ref _word, (number << NumberShift) | to, (number << NumberShift) | from) == ((number << NumberShift) | from);
}
