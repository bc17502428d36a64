using System.Runtime.CompilerServices;

namespace NativeThreading.Queues;

/// <summary>The items that continue work, in shards of their own. While a pool has rescue threads, the monitor moves such items there, and producers
/// put new ones there. All who take items take from these first, and from these alone while the pool is paused.</summary>
internal sealed partial class InjectorQueue
{
    private InjectorShard[]? _continuing; // one for each generation; made with the pool's first rescue thread, and kept
    private bool _sorts;
    private int _isUnsorted;

    /// <summary>Whether a producer puts an item that continues work into a shard for those.</summary>
    public bool Sorts
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _sorts);
    }

    /// <summary>Whether items that continue work may be among held ones since the monitor's last scan.</summary>
    public bool IsUnsorted => Volatile.Read(ref _isUnsorted) != 0;

    /// <summary>Whether one of these shards holds an item: plain reads.</summary>
    public bool HasContinuing
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _continuing) is { } continuing && Array.Exists(continuing, static shard => !shard.IsEmpty);
    }

    /// <summary>Whether the last call of <see cref="Sort"/> has found no slot that a producer had claimed and not filled, and no shard in use by a
    /// consumer. For the monitor.</summary>
    public bool IsSorted { get; private set; }

    private InjectorShard[] Continuing => Volatile.Read(ref _continuing) ?? [];

    /// <summary>From now on producers put items that continue work apart. Under the roster's lock.</summary>
    /// <param name="generations">How many shards there are for these.</param>
    public void BeginSorting(int generations)
    {
        if (_continuing is null)
        {
            var shards = new InjectorShard[generations];
            for (int i = 0; i < generations; i++)
            {
                shards[i] = new InjectorShard();
            }

            Volatile.Write(ref _continuing, shards);
            AddToAll(shards);
        }

        Volatile.Write(ref _sorts, true);
    }

    /// <summary>Producers do so no longer, unless the pool is paused. The separate items are taken from there. Under the roster's lock.</summary>
    public void EndSorting() => Volatile.Write(ref _sorts, IsPaused);

    /// <summary>The pool was paused, or a producer that had not seen that has published. A full fence.</summary>
    public void NoteUnsorted() => Interlocked.Exchange(ref _isUnsorted, 1);

    /// <summary>The monitor scans from now on. A full fence.</summary>
    public void ForgetUnsorted() => Interlocked.Exchange(ref _isUnsorted, 0);

    /// <summary>Items that continue work and lie apart, of one generation, at some moment.</summary>
    public long ContinuingCount(int generation) => Continuing is { Length: > 0 } shards ? shards[generation].Count : 0;

    /// <summary>Publishes an item that continues work, and ends with a full fence.</summary>
    public void EnqueueContinuing(int generation, Action<object?> callback, object? state, object? context) =>
        Continuing[generation].Enqueue(callback, state, context);

    /// <summary>Takes the oldest item of a generation. <see langword="false"/> also while another thread is at it.</summary>
    public bool TryTakeContinuing(int generation, ref WorkItem item) => Continuing is { Length: > 0 } shards && shards[generation].TryTakeNow(ref item);

    /// <summary>Scans for items that continue work, a part of the queue at each call. While <see cref="Sorts"/>, it moves them apart; else it stops
    /// at the first. Producers that have not seen the flag may be late, so it continues for as long as the flag is set. For the monitor.</summary>
    /// <param name="match">The items to find.</param>
    /// <param name="argument">What it gets.</param>
    /// <param name="generation">The generation of the moved items.</param>
    /// <param name="isDone">Whether it has scanned all items.</param>
    /// <returns>Whether such an item waits.</returns>
    public bool Sort<TArgument>(ItemPredicate<TArgument> match, TArgument argument, int generation, out bool isDone)
    {
        int most = StarvationTuning.SortedAtOnce;
        bool found = false;
        bool isSorted = true;
        InjectorShard? destination = Sorts ? Continuing[generation] : null;
        foreach (InjectorShard shard in Shards)
        {
            if (Array.IndexOf(Continuing, shard) < 0)
            {
                found |= shard.Sort(match, argument, destination, ref most);
                isSorted &= shard.IsSorted;
            }
        }

        isDone = most > 0;
        IsSorted = isSorted;
        return found || HasContinuing;
    }

    /// <remarks>Never inlined: the frame of a worker's loop would keep the item alive while later ones run.</remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryMoveContinuing(WorkItemRing destination)
    {
        WorkItem item = default;
        return destination.HasFreeSlot && TryTakeAnyContinuing(ref item) && destination.TryPush(item.Callback!, item.State, item.Context);
    }

    /// <summary>Takes the oldest item of the latest generation that has one.</summary>
    private bool TryTakeAnyContinuing(ref WorkItem item)
    {
        InjectorShard[] shards = Continuing;
        for (int generation = shards.Length - 1; generation >= 0; generation--)
        {
            if (shards[generation].TryTakeNow(ref item))
            {
                return true;
            }
        }

        return false;
    }
}
