namespace NativeThreading.Platform;

/// <summary>The LIFO semaphore in C#: a count of permits and a stack of parked threads, both under one lock. It does not poll.</summary>
/// <remarks>A release hands its permits to parked threads, the newest first, and adds to the count only the rest. So there is no permit while a
/// thread is parked, and a thread that was taken off the stack owns a permit, whatever its clock says (T12).</remarks>
internal sealed class ManagedLifoSemaphore(int permits)
{
    [ThreadStatic]
    private static ManagedParker? t_spare; // a thread's own, taken while it waits: a wait may run other code, which waits as well

    private readonly UninterruptedLock _lock = new();
    private readonly LinkedList<ManagedParker> _stack = new();
    private int _permits = permits;

    public int Permits => Volatile.Read(ref _permits);

    public int Waiters
    {
        get
        {
            using var held = _lock.EnterScope();
            return _stack.Count;
        }
    }

    /// <summary>Takes a permit if there is one.</summary>
    public bool TryWait() => Wait(0);

    /// <summary>Takes a permit: <see langword="true"/>. Otherwise it never returns early.</summary>
    public bool Wait(long timeoutNanoseconds)
    {
        long deadline = MonotonicClock.After(timeoutNanoseconds);
        ManagedParker parker;
        using (_lock.EnterScope())
        {
            if (_permits > 0)
            {
                _permits--;
                return true;
            }

            if (timeoutNanoseconds == 0)
            {
                return false;
            }

            parker = t_spare ?? new ManagedParker();
            t_spare = null;
            parker.PushLocked(_stack);
        }

        Chaos.Point("ManagedLifoSemaphore.Wait, pushed");
        bool granted = Park(parker, deadline);
        t_spare = parker;
        return granted;
    }

    /// <summary>Adds permits and wakes as many parked threads as can use them. A full fence. Returns <see langword="false"/> if there would be too
    /// many, and nothing was added.</summary>
    public bool Release(int count)
    {
        using var held = _lock.EnterScope();
        if (count > int.MaxValue - _permits)
        {
            return false; // T20
        }

        Chaos.Point("ManagedLifoSemaphore.Release");
        for (; count > 0 && _stack.Count > 0; count--)
        {
            ManagedParker.GrantNewestLocked(_stack);
        }

        _permits += count;
        return true;
    }

    /// <summary>Waits until a permit is granted: <see langword="true"/>; or until the deadline.</summary>
    private bool Park(ManagedParker parker, long deadline)
    {
        if (parker.AwaitGrant(deadline))
        {
            return true;
        }

        Chaos.Point("ManagedLifoSemaphore.Park, late");
        using (_lock.EnterScope())
        {
            if (parker.TryLeaveLocked())
            {
                return false;
            }
        }

        return parker.AwaitGrant(MonotonicClock.Never); // at once: it was granted as its time ran out (T12)
    }
}
