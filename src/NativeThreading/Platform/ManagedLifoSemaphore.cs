namespace NativeThreading.Platform;

/// <summary>The LIFO semaphore in C#: a count of permits, and a lock around it and the stack of parked threads. It does not poll.</summary>
/// <remarks>A release hands its permits to parked threads, the newest first, and adds to the count only the rest. So there is no permit while a
/// thread is parked, and a thread that was taken off the stack owns a permit, whatever its clock says (T12).</remarks>
internal sealed class ManagedLifoSemaphore(int permits)
{
    [ThreadStatic]
    private static ManagedParker? t_spare; // a thread's own, taken while it waits: a wait may run other code, which waits as well

    private readonly UninterruptedLock _lock = new();
    private readonly LinkedList<ManagedParker> _stack = new(); // guarded by the lock
    private int _permits = permits; // grows under the lock only

    public int Permits => Volatile.Read(ref _permits);

    public int Waiters
    {
        get
        {
            using var held = _lock.EnterScope();
            return _stack.Count;
        }
    }

    /// <summary>Takes a permit: <see langword="true"/>. Otherwise it never returns early.</summary>
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
        ManagedParker parker = t_spare ?? new ManagedParker();
        t_spare = null;
        bool granted = Park(parker, deadline);
        t_spare = parker;
        return granted;
    }

    /// <summary>Takes a permit if there is one. Never waits, not even for the lock.</summary>
    public bool TryWait()
    {
        for (int seen = Volatile.Read(ref _permits); seen > 0;)
        {
            Chaos.Point("ManagedLifoSemaphore.TryWait, permit seen");
            int before = Interlocked.CompareExchange(ref _permits, seen - 1, seen);
            if (before == seen)
            {
                return true;
            }

            seen = before;
        }

        return false;
    }

    /// <summary>Adds permits and wakes as many parked threads as can use them. A full fence. Returns <see langword="false"/> if there would be too
    /// many, and nothing was added.</summary>
    public bool Release(int count)
    {
        using var held = _lock.EnterScope();
        if (count > int.MaxValue - Volatile.Read(ref _permits))
        {
            return false; // T20
        }

        Chaos.Point("ManagedLifoSemaphore.Release");
        for (; count > 0 && _stack.Count > 0; count--)
        {
            ManagedParker.GrantNewest(_stack);
        }

        Interlocked.Add(ref _permits, count);
        return true;
    }

    /// <summary>Parks until a permit is granted: <see langword="true"/>; or until the deadline.</summary>
    private bool Park(ManagedParker parker, long deadline)
    {
        using (_lock.EnterScope())
        {
            if (TryWait())
            {
                return true;
            }

            _stack.AddLast(parker.Place);
        }

        Chaos.Point("ManagedLifoSemaphore.Park, pushed");
        if (parker.AwaitGrant(deadline))
        {
            return true;
        }

        Chaos.Point("ManagedLifoSemaphore.Park, late");
        using (_lock.EnterScope())
        {
            if (parker.IsStacked)
            {
                _stack.Remove(parker.Place);
                return false;
            }
        }

        return parker.AwaitGrant(MonotonicClock.Never); // at once: it was granted as its time ran out (T12)
    }
}
