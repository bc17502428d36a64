using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace NativeThreading.Queues;

/// <summary>
/// A stretch of an <see cref="ExternalLane"/>: slots that producers claim by ticket and fill in any order, and that the
/// consumer empties in order.
/// </summary>
internal sealed class ExternalSegment
{
    public const int Size = 1024;

    private readonly WorkItem[] _slots = new WorkItem[Size];
    private ExternalSegment? _next;
    private PaddedIndex _tickets;

    /// <summary>Items of the lane before this segment; set while nobody can claim a ticket.</summary>
    public long Base { get; set; }

    /// <summary>The following segment; written once per use, under the lane's lock for appending.</summary>
    public ExternalSegment? Next
    {
        get => Volatile.Read(ref _next);
        set => Volatile.Write(ref _next, value);
    }

    /// <summary>Tickets given out, at most <see cref="Size"/>.</summary>
    public int Claimed => Math.Min(Volatile.Read(ref _tickets.Value), Size);

    /// <summary>Makes an emptied segment usable again. From here on tickets are given out, also to late comers.</summary>
    public void Reopen(long newBase)
    {
        Base = newBase;
        Next = null;
        Volatile.Write(ref _tickets.Value, 0);
    }

    /// <summary>
    /// Claims a slot and publishes an item in it; <see langword="false"/> if the segment is used up. The caller fences
    /// before it reads the state word: a consumer reports a claimed slot that is not filled yet as empty (T63).
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryAdd(Action<object?> callback, object? state, object? context)
    {
        int ticket = Interlocked.Increment(ref _tickets.Value) - 1;
        if ((uint)ticket >= Size)
        {
            return false;
        }

        ref WorkItem slot = ref Slot(ticket);
        slot.State = state;
        if (context is not null)
        {
            slot.Context = context;
        }

        // Release: a consumer that sees the callback sees the whole slot.
        Volatile.Write(ref slot.Callback, callback);
        return true;
    }

    /// <summary>The slot of a ticket.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref WorkItem Slot(int ticket) => ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_slots), ticket);

    /// <summary>Whether a slot is filled. Acquire: pairs with the release in <see cref="TryAdd"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool IsFilled(int ticket) => Volatile.Read(ref Slot(ticket).Callback) is not null;
}
