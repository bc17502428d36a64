using NativeThreading.Interop;
using NativeThreading.Waiting;

namespace NativeThreading.ManagedCore;

/// <summary>The LIFO semaphore in C#. The word, the rule and the argument why no wake is lost are those of
/// native/src/lifo_semaphore.c, step for step; so is the model.</summary>
/// <remarks>One word and the stack of parked threads beside it. LOCKED is cleared only by a step from a word in which nobody is to be woken,
/// and a release that makes somebody so either takes LOCKED or leaves it to the holder. A popped waiter owns its permit, whatever its clock
/// says (T12). The first to come takes a permit that is in the word, before parked threads.</remarks>
internal sealed class ManagedLifoSemaphore(int permits, long lingerNanoseconds)
{
    [ThreadStatic]
    private static ManagedParker? t_spare; // a thread's own, taken while it waits: a wait may run other code, which waits as well

    private readonly long _linger = lingerNanoseconds < 0 ? ManagedWakeLatency.Nanoseconds : lingerNanoseconds;
    private ulong _word = (ulong)permits;
    private ParkerStack _stack; // guarded by LOCKED
    private LingerCredit _credit = new();

    public int Permits => (int)SemaphoreWord.Permits(Volatile.Read(ref _word));

    public int Waiters => (int)SemaphoreWord.Waiters(Volatile.Read(ref _word));

    /// <summary>Takes a permit: <see langword="true"/>; never ends early otherwise.</summary>
    public bool Wait(long timeoutNanoseconds)
    {
        if (TryWait())
        {
            return true;
        }

        if (timeoutNanoseconds == 0)
        {
            return false;
        }

        long deadline = MonotonicClock.After(timeoutNanoseconds);
        Chaos.Point("ManagedLifoSemaphore.Wait, no permit");
        if (Linger(deadline) || TryWait())
        {
            return true;
        }

        long parkedAt = _linger > 0 ? MonotonicClock.Now : 0;
        ManagedParker parker = t_spare ?? new ManagedParker();
        t_spare = null;
        bool granted = Park(parker, deadline);
        t_spare = parker;
        if (granted)
        {
            if (_linger > 0)
            {
                _credit.NoteGap(MonotonicClock.Now - parkedAt, _linger);
            }

            return true;
        }

        return TryWait(); // a permit may have come while this thread held the lock in order to leave
    }

    /// <summary>Takes a permit if there is one.</summary>
    public bool TryWait()
    {
        while (true)
        {
            ulong seen = Volatile.Read(ref _word);
            if (SemaphoreWord.Permits(seen) == 0)
            {
                return false;
            }

            Chaos.Point("ManagedLifoSemaphore.TryWait, permit seen");
            if (TryChange(seen, seen - SemaphoreWord.Permit))
            {
                return true;
            }
        }
    }

    /// <summary>Adds permits and wakes as many parked threads as can use them. A full fence; never waits. <see langword="false"/>: there would
    /// be too many, and nothing was added.</summary>
    public bool Release(int count)
    {
        while (true)
        {
            ulong seen = Volatile.Read(ref _word);
            if (SemaphoreWord.Permits(seen) + (uint)count > int.MaxValue)
            {
                return false;
            }

            ulong next = seen + ((uint)count * SemaphoreWord.Permit);
            uint claimed = (seen & SemaphoreWord.Locked) == 0 ? SemaphoreWord.ToWake(next) : 0;
            if (claimed > 0)
            {
                next = SemaphoreWord.Claim(next, claimed) | SemaphoreWord.Locked;
            }

            Chaos.Point("ManagedLifoSemaphore.Release, word read");
            if (TryChange(seen, next))
            {
                Chaos.Point("ManagedLifoSemaphore.Release, added");
                if (claimed > 0)
                {
                    Unlock(claimed);
                }

                return true;
            }
        }
    }

    /// <summary>Parks until a permit is granted: <see langword="true"/>; or until the deadline.</summary>
    private bool Park(ManagedParker parker, long deadline)
    {
        LockBit.Set(ref _word, SemaphoreWord.Locked);
        _stack.Push(parker);
        Chaos.Point("ManagedLifoSemaphore.Park, pushed");
        Interlocked.Add(ref _word, SemaphoreWord.Waiter);
        Unlock(0); // may grant a permit to this very parker
        if (parker.AwaitToken(deadline))
        {
            return true;
        }

        LockBit.Set(ref _word, SemaphoreWord.Locked);
        if (!parker.IsStacked)
        {
            Unlock(0);
            parker.ConsumeToken(); // T12
            return true;
        }

        _stack.Remove(parker);
        Chaos.Point("ManagedLifoSemaphore.Park, removed");
        Interlocked.Add(ref _word, unchecked(0 - SemaphoreWord.Waiter));
        Unlock(0);
        return false;
    }

    /// <summary>Applies the rule until nobody is to be woken, clears LOCKED in the very step that sees this, and wakes, behind it (T52).
    /// <paramref name="claimed"/> waiters are counted off already and still on the stack.</summary>
    private void Unlock(uint claimed)
    {
        ManagedParker? first = null;
        ManagedParker? last = null;
        PopToList(claimed, ref first, ref last);
        while (true)
        {
            ulong seen = Volatile.Read(ref _word);
            uint count = SemaphoreWord.ToWake(seen);
            Chaos.Point("ManagedLifoSemaphore.Unlock, rule read");
            if (count == 0)
            {
                if (TryChange(seen, seen & ~SemaphoreWord.Locked))
                {
                    break;
                }
            }
            else if (TryChange(seen, SemaphoreWord.Claim(seen, count)))
            {
                PopToList(count, ref first, ref last);
            }
        }

        while (first is { } parker)
        {
            first = parker.Older; // read before the grant: its thread may push it again at once
            parker.Grant();
        }
    }

    /// <summary>Moves the newest from the stack to the end of a list that runs through the links. Holds LOCKED.</summary>
    private void PopToList(uint count, ref ManagedParker? first, ref ManagedParker? last)
    {
        for (; count > 0; count--)
        {
            ManagedParker parker = _stack.Pop();
            if (last is null)
            {
                first = parker;
            }
            else
            {
                last.Older = parker;
            }

            last = parker;
        }
    }

    /// <summary>Lingers where that pays and nobody else does. <see langword="true"/>: a permit was taken.</summary>
    private bool Linger(long deadline)
    {
        if (_linger == 0 || !_credit.Any || !ManagedLingerBudget.TryTake(LingerKind.Waiter))
        {
            return false;
        }

        bool found = false;
        if (TryBeginLinger())
        {
            found = Poll(Math.Min(MonotonicClock.After(_linger), deadline));
            _credit.NoteLinger(found);
        }

        ManagedLingerBudget.Return(LingerKind.Waiter);
        return found;
    }

    /// <summary>Registers the one lingerer of this semaphore, where there is none and no permit.</summary>
    private bool TryBeginLinger()
    {
        while (true)
        {
            ulong seen = Volatile.Read(ref _word);
            if (SemaphoreWord.Permits(seen) != 0 || (seen & SemaphoreWord.Lingering) != 0)
            {
                return false;
            }

            if (TryChange(seen, seen | SemaphoreWord.Lingering))
            {
                return true;
            }
        }
    }

    /// <summary>Polls until there is a permit, which it takes: <see langword="true"/>; or the time is over. LINGERING is off afterwards (T48).</summary>
    private bool Poll(long end)
    {
        var pace = new PollPace(System.Diagnostics.Stopwatch.GetTimestamp());
        while (true)
        {
            ulong seen = Volatile.Read(ref _word);
            bool found = SemaphoreWord.Permits(seen) != 0;
            if (found || MonotonicClock.Now >= end)
            {
                Chaos.Point("ManagedLifoSemaphore.Poll, ends");
                if (TryChange(seen, seen - SemaphoreWord.Lingering - (found ? SemaphoreWord.Permit : 0)))
                {
                    return found;
                }
            }

            pace.Pause(System.Diagnostics.Stopwatch.GetTimestamp());
        }
    }

    private bool TryChange(ulong seen, ulong next) => Interlocked.CompareExchange(ref _word, next, seen) == seen;
}
