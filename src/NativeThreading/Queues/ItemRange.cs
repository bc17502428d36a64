using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace NativeThreading.Queues;

/// <summary>
/// Items that one call has queued from outside and that differ in their states only: one entry of a shard stands for all of them.
/// Workers claim them in order, one alone or several as a <see cref="Portion"/>.
/// </summary>
/// <remarks>
/// <para>The entry stays at the head of its shard until the last item has been claimed. So for whoever looks for work, counts it or
/// waits for it, a range is an item like any other, and no protocol knows of it.</para>
/// <para>Who claims holds the shard's consumer lock, as who takes any item, and removes the entry with the last one. A claimed item belongs
/// to its claimer, whether to run it, to help a waiter with it, or to drop it at a stop. So there is no model.</para>
/// </remarks>
internal sealed class ItemRange
{
    /// <summary>The callback in a slot whose state is a range. It is never called.</summary>
    public static readonly Action<object?> Entry = static _ => { };

    private readonly object?[] _states;
    private int _next;

    private ItemRange(Action<object?> callback, object?[] states, object context) =>
        (Callback, _states, Context) = (callback, states, context);

    /// <summary>The callback that all items share.</summary>
    public Action<object?> Callback { get; }

    /// <summary>The context that all items share.</summary>
    public object Context { get; }

    /// <summary>Items that nobody has claimed. Exact under the consumer lock.</summary>
    public int Left => _states.Length - Volatile.Read(ref _next);

    /// <summary>Copies the states, and makes the object that each needs that is a value.</summary>
    public static ItemRange Of<TState>(Action<TState> callback, ReadOnlySpan<TState> states, object context)
    {
        Growth.Begin("range");
        return new ItemRange(WorkItem.CallbackOf(callback), Copy(callback, states), context);
    }

    /// <summary>Claims the next items, which there are. Returns the index of the first. Under the consumer lock.</summary>
    public int Claim(int count)
    {
        Chaos.Point("ItemRange.Claim");
        Counters.Add(Counted.RangeClaim);
        int first = _next;
        Volatile.Write(ref _next, first + count); // who counts or shows what is left has no lock
        return first;
    }

    /// <summary>Takes the state of a claimed item out: it lives no longer than its item, the range as long as its last one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public object? TakeState(int index)
    {
        ref object? place = ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_states), index); // the array may be one of a derived type
        object? state = place;
        place = null;
        return state;
    }

    /// <summary>Takes a claimed item.</summary>
    public void Take(int index, ref WorkItem item) => (item.Callback, item.State, item.Context) = (Callback, TakeState(index), Context);

    /// <summary>A snapshot of the items that nobody has claimed. One that is claimed meanwhile may be there without its state.</summary>
    public IEnumerable<WorkItem> PendingItems() => PendingItems(Volatile.Read(ref _next), _states.Length);

    /// <summary>The same for some of the items, claimed or not. The caller may have read the two at different moments.</summary>
    public IEnumerable<WorkItem> PendingItems(int first, int end)
    {
        for (int index = Math.Max(first, 0); index < Math.Min(end, _states.Length); index++)
        {
            yield return new WorkItem { Callback = Callback, State = Volatile.Read(ref _states[index]), Context = Context };
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
