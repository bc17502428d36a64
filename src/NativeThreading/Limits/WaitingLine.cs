namespace NativeThreading.Limits;

/// <summary>Callers in the order of their arrival; whoever gives up leaves from the middle at once and keeps nothing alive.</summary>
internal sealed class WaitingLine
{
    private WaitingItem? _last;

    public WaitingItem? First { get; private set; }

    public int Count { get; private set; }

    public void Add(WaitingItem item)
    {
        item.IsInLine = true;
        item.Previous = _last;
        _ = _last is null ? First = item : _last.Next = item;
        _last = item;
        Count++;
    }

    /// <summary><see langword="false"/>: it is not in the line.</summary>
    public bool Remove(WaitingItem item)
    {
        if (!item.IsInLine)
        {
            return false;
        }

        _ = item.Previous is null ? First = item.Next : item.Previous.Next = item.Next;
        _ = item.Next is null ? _last = item.Previous : item.Next.Previous = item.Previous;
        item.IsInLine = false;
        item.Previous = item.Next = null;
        Count--;
        return true;
    }

    public void RemoveAll(Predicate<WaitingItem> match, List<WaitingItem> removed)
    {
        WaitingItem? next;
        for (WaitingItem? item = First; item is not null; item = next)
        {
            next = item.Next;
            if (match(item))
            {
                Remove(item);
                removed.Add(item);
            }
        }
    }
}
