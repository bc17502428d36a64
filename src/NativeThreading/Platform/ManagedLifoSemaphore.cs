namespace NativeThreading.Platform;

/// <summary>The LIFO semaphore in C#: a count of permits and a stack of waiting threads, both under one lock. It does not poll.</summary>
/// <remarks>A release hands its permits to waiting threads, the newest first, and adds only the rest to the count. So there is no permit while a
/// thread waits, and a thread that a release took off the stack owns a permit, whatever its clock says (T12).</remarks>
internal sealed class ManagedLifoSemaphore(int permits)
{
    private readonly UninterruptedLock _lock = new();
    private readonly LinkedList<AutoResetEvent> _stack = new(); // an event for each wait: a wait may run other code, which waits as well
    private int _permits = permits;

    public int Permits => Volatile.Read(ref _permits);

    /// <summary>Threads that wait: a snapshot.</summary>
    public int Waiters => _stack.Count;

    /// <summary>Takes a permit if there is one.</summary>
    public bool TryWait() => Wait(0);

    /// <summary>Takes a permit: <see langword="true"/>. Otherwise it never returns early.</summary>
    public bool Wait(long timeoutNanoseconds)
    {
        long deadline = MonotonicClock.After(timeoutNanoseconds);
        LinkedListNode<AutoResetEvent> place;
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

            place = _stack.AddLast(new AutoResetEvent(initialState: false));
        }

        Chaos.Point("ManagedLifoSemaphore.Wait, pushed");
        using AutoResetEvent granted = place.Value;
        if (UninterruptedWait.One(granted, deadline))
        {
            return true;
        }

        Chaos.Point("ManagedLifoSemaphore.Wait, late");
        using var held = _lock.EnterScope();
        if (place.List is null)
        {
            return true; // a release granted the permit as the time ran out (T12)
        }

        _stack.Remove(place);
        return false;
    }

    /// <summary>Adds permits and wakes as many waiting threads as can use them. A full fence. Returns <see langword="false"/> if there would be
    /// too many, and nothing was added.</summary>
    public bool Release(int count)
    {
        using var held = _lock.EnterScope();
        if (count > int.MaxValue - _permits)
        {
            return false; // T20
        }

        for (; count > 0 && _stack.Last is { } newest; count--)
        {
            _stack.RemoveLast();
            Chaos.Point("ManagedLifoSemaphore.Release, popped");
            newest.Value.Set();
        }

        _permits += count;
        return true;
    }
}
