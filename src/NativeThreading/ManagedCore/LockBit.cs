using NativeThreading.Waiting;

namespace NativeThreading.ManagedCore;

/// <summary>A bit of a state word that is set while the stack beside the word is changed. For threads on the way to park, never for those
/// that wake: they leave what they want to the holder (T15, T60).</summary>
internal static class LockBit
{
    /// <summary>Sets the bit, which must be clear before. Its holder clears it in the same step as what it changes in the word.</summary>
    public static void Set(ref ulong word, ulong bit)
    {
        var spin = new UninterruptedSpin();
        while (true)
        {
            ulong seen = Volatile.Read(ref word);
            Chaos.Point("LockBit.Set");
            if ((seen & bit) == 0 && Interlocked.CompareExchange(ref word, seen | bit, seen) == seen)
            {
                return;
            }

            spin.Once();
        }
    }
}
