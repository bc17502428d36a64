namespace NativeThreading.Limits;

/// <summary>Waiters in the order of their arrival. One that gives up leaves the list at once, and is not kept alive by it.</summary>
internal sealed class WaiterList
{
    private Waiter? _last;

    public Waiter? First { get; private set; }
    public int Count { get; private set; }

    public void Add(Waiter waiter)
    {
        waiter.IsListed = true;
        waiter.Previous = _last;
        _ = _last is null ? First = waiter : _last.Next = waiter;
        _last = waiter;
        Count++;
    }

    /// <summary><see langword="false"/>: it is not in the list.</summary>
    public bool Remove(Waiter waiter)
    {
        if (!waiter.IsListed)
        {
            return false;
        }

        _ = waiter.Previous is null ? First = waiter.Next : waiter.Previous.Next = waiter.Next;
        _ = waiter.Next is null ? _last = waiter.Previous : waiter.Next.Previous = waiter.Previous;
        waiter.IsListed = false;
        waiter.Previous = waiter.Next = null;
        Count--;
        return true;
    }

    public void RemoveAll(Predicate<Waiter> match, List<Waiter> removed)
    {
        Waiter? next;
        for (Waiter? waiter = First; waiter is not null; waiter = next)
        {
            next = waiter.Next;
            if (match(waiter))
            {
                Remove(waiter);
                removed.Add(waiter);
            }
        }
    }
}
