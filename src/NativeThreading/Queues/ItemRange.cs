using System.Runtime.CompilerServices;

namespace NativeThreading.Queues;

/// <summary>Items that one call has queued from outside and that differ in their states only: one entry of a shard stands for all of them. Workers
/// claim them one by one, in order, so an item that blocks holds up no other.</summary>
/// <remarks>
/// <para>The entry stays at the head of its shard until the last item has been claimed. So for a thread that scans for work, counts it or
/// waits for it, a range is an item like any other, and no protocol knows of it.</para>
/// <para>A claim is one interlocked increment: the thread that gets a number owns that item, whether to run it, to help a waiter with it, or
/// to drop it at a stop. There is nothing else to agree on, so there is no model. Where the entry lies and when it goes is guarded
/// by the shard's consumer lock, as with any item.</para>
/// </remarks>
internal sealed class ItemRange
{
    /// <summary>The callback in a slot whose state is a range. It is never called.</summary>
    public static readonly Action<object?> Entry = static _ => { };

    private readonly Action<object?> _callback;
    private readonly object?[] _states;
    private int _countedSingly;
    private PaddedIndex _next; // written with each item by the thread that claims it; the fields next to it are only read

    private ItemRange(Action<object?> callback, object?[] states, object context) =>
        (_callback, _states, Context) = (callback, states, context);

    /// <summary>The context that all items share.</summary>
    public object Context { get; }

    /// <summary>The shard that the entry is in.</summary>
    public InjectorShard? Shard { get; set; }

    /// <summary>Items in all.</summary>
    public int Count => _states.Length;

    /// <summary>Whether all items have been claimed.</summary>
    public bool IsSpent
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _next.Value) >= _states.Length;
    }

    /// <summary>Claimed items that the shard has not counted singly.</summary>
    public int ClaimedUncounted
    {
        get
        {
            int claimed = Math.Min(Volatile.Read(ref _next.Value), _states.Length); // the index first: rather one item too many waits
            return claimed - Volatile.Read(ref _countedSingly);
        }
    }

    /// <summary>Items next to the one that the slot counts for, without those that the shard has counted singly.</summary>
    public int Uncounted => _states.Length - 1 - _countedSingly;

    /// <summary>Copies the states, and makes the object that each needs that is a value.</summary>
    public static ItemRange Of<TState>(Action<TState> callback, ReadOnlySpan<TState> states, object context)
    {
        Failpoints.Growth?.Invoke("range");
        return new ItemRange(WorkItem.CallbackOf(callback), Copy(callback, states), context);
    }

    /// <summary>Claims the next item, without a lock. A thread that claims the last one removes the entry: otherwise it would seem to be work, and an
    /// item that waits, for as long as that one runs. Before that the caller scans for the items after it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryTake(ref WorkItem item)
    {
        bool taken = TryClaim(ref item);
        if (taken && IsSpent)
        {
            Shard!.RemoveSpent();
        }

        return taken;
    }

    /// <summary>Claims the next item and leaves the entry where it is. <see langword="false"/>: all have been claimed.</summary>
    /// <remarks>Never inlined: the frame that runs the items would keep one of them alive while later ones run (T149).</remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool TryClaim(ref WorkItem item)
    {
        // Those who come too late would increase the index beyond bounds one day.
        if (IsSpent)
        {
            return false;
        }

        Chaos.Point("ItemRange.TryClaim, not spent");
        Counters.Add(Counted.RangeClaim);
        int index = Interlocked.Increment(ref _next.Value) - 1;
        if (index >= _states.Length)
        {
            return false;
        }

        Chaos.Point("ItemRange.TryClaim, claimed");
        (item.Callback, item.State, item.Context) = (_callback, _states[index], Context);
        _states[index] = null; // a state lives no longer than its item, the range as long as its last one
        return true;
    }

    /// <summary>The shard has counted a claimed item. Under its consumer lock.</summary>
    public void CountSingly() => Volatile.Write(ref _countedSingly, _countedSingly + 1);

    /// <summary>A snapshot of the items that wait. One that is claimed meanwhile may be there without its state.</summary>
    public IEnumerable<WorkItem> PendingItems()
    {
        for (int index = Volatile.Read(ref _next.Value); index < _states.Length; index++)
        {
            yield return new WorkItem { Callback = _callback, State = _states[index], Context = Context };
        }
    }

    private static object?[] Copy<TState>(Action<TState> callback, ReadOnlySpan<TState> states)
    {
        if (!typeof(TState).IsValueType)
        {
            return Unsafe.As<object?[]>(states.ToArray()); // only null is ever stored there
        }

        object?[] copies = new object?[states.Length];
        for (int i = 0; i < copies.Length; i++)
        {
            copies[i] = WorkItem.StateOf(callback, states[i]);
        }

        return copies;
    }
}
