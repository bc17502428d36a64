namespace NativeThreading.ManagedCore;

/// <summary>The semaphore's state word: layout and the one rule. As native/src/lifo_semaphore_word.h.</summary>
internal static class SemaphoreWord
{
    /// <summary>Bits 0 to 31: permits, at most <see cref="int.MaxValue"/>, so that a sum of two still fits (T20).</summary>
    public const ulong Permit = 1;

    /// <summary>Bits 32 to 61: waiters, the parkers on the stack. No system has so many threads.</summary>
    public const ulong Waiter = 1UL << 32;

    /// <summary>One waiter polls the permits.</summary>
    public const ulong Lingering = 1UL << 62;

    /// <summary>The stack is being changed.</summary>
    public const ulong Locked = 1UL << 63;

    public static uint Permits(ulong word) => (uint)word;

    public static uint Waiters(ulong word) => (uint)((word & (Lingering - Waiter)) >> 32);

    /// <summary>The rule: how many parked waiters are to be woken. One permit is left to the lingerer, if there is one.</summary>
    public static uint ToWake(ulong word)
    {
        uint permits = Permits(word);
        if (permits != 0 && (word & Lingering) != 0)
        {
            permits--;
        }

        return Math.Min(Waiters(word), permits);
    }

    /// <summary>The word after that many waiters were given a permit each.</summary>
    public static ulong Claim(ulong word, uint count) => word - (count * (Permit + Waiter));
}
