namespace NativeThreading.Platform;

/// <summary>Whether lingering has paid lately. Arrivals sparser than the time to linger use the credit up; arrivals closer together
/// earn it back, which is seen from how long threads were parked. The same in C is native/src/linger_credit.h.</summary>
internal struct LingerCredit
{
    // Races lose an update now and then, which is harmless: it is an estimate.
    private int _left = SpinTuning.FirstCredit;

    public LingerCredit()
    {
    }

    /// <summary>Whether there is any.</summary>
    public readonly bool Any => Volatile.Read(in _left) > 0;

    /// <summary>A thread has lingered, and found what it hoped for or not.</summary>
    public void NoteLinger(bool found) => Add(found ? 1 : -1);

    /// <summary>A parked thread was woken for something that arrived after this long.</summary>
    public void NoteGap(long parked, long linger)
    {
        if (parked < SpinTuning.GapFactor * linger)
        {
            Add(SpinTuning.GapCredit);
        }
    }

    private void Add(int change) => Volatile.Write(ref _left, Math.Clamp(Volatile.Read(ref _left) + change, 0, SpinTuning.MostCredit));
}
