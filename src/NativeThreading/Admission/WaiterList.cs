namespace NativeThreading.Admission;

/// <summary>Callers in the order of their arrival; whoever gives up leaves from the middle at once and keeps nothing alive.</summary>
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
