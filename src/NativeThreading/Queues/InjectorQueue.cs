using System.Runtime.CompilerServices;

namespace NativeThreading.Queues;

/// <summary>The injector queue: the queue for all threads that are not workers of the pool. One shard per processor, up to a number.</summary>
internal sealed partial class InjectorQueue
{
    private readonly InjectorShard[] _shards;
    private InjectorShard[] _all; // replaced, never changed: these, and those for items that continue work or have a priority
    private PaddedIndex _holders;
    private bool _isPaused;

    /// <param name="isOneOrder">A single shard, so items of all threads keep one order.</param>
    public InjectorQueue(bool isOneOrder = false)
    {
        int count = isOneOrder ? 1 : (int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)Math.Min(Environment.ProcessorCount, QueueTuning.MostShards));
        _shards = new InjectorShard[count];
        for (int i = 0; i < count; i++)
        {
            _shards[i] = new InjectorShard();
        }

        _all = _shards;
    }

    /// <summary>Whether any shard holds an item that may be taken. Plain reads of all shards (T131).</summary>
    public bool AnyItem
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            if (IsPaused)
            {
                return HasContinuing;
            }

            foreach (InjectorShard shard in Shards)
            {
                if (!shard.IsEmpty)
                {
                    return true;
                }
            }

            return false;
        }
    }

    /// <summary>Whether only items that continue work may be taken.</summary>
    public bool IsPaused
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _isPaused);
        set => Volatile.Write(ref _isPaused, value);
    }

    public InjectorShard[] Shards
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _all);
    }

    private InjectorShard ShardOfThread => _shards[Environment.CurrentManagedThreadId & (_shards.Length - 1)];

    public long Count => CountIn(Shards);

    /// <summary>Of <see cref="Count"/>, the items that wait until the pool is resumed.</summary>
    public long HeldCount => IsPaused ? Math.Max(0, Count - CountIn(Continuing)) : 0;

    /// <summary>Publishes an item after the thread's earlier ones, and ends with a full fence.</summary>
    public void Enqueue(Action<object?> callback, object? state, object? context) => ShardOfThread.Enqueue(callback, state, context);

    /// <inheritdoc cref="Enqueue(Action{object?}, object?, object?)"/>
    public void Enqueue(RepeatedCall call, object? state) => ShardOfThread.Enqueue(call, state);

    /// <inheritdoc cref="Enqueue(Action{object?}, object?, object?)"/>
    public void EnqueueRange(ItemRange range) => ShardOfThread.EnqueueRange(range);

    /// <summary>Workers whose lane holds a batch of several items.</summary>
    public int HolderCount => Volatile.Read(ref _holders.Value);

    /// <summary>Counts one more or one less.</summary>
    public void AddHolder(int change)
    {
        Counters.Add(Counted.HolderChange);
        Interlocked.Add(ref _holders.Value, change);
    }

    /// <summary>Moves a batch, or finds a range, in the first non-empty shard at or behind <paramref name="start"/>. The next search starts behind
    /// that shard, so one thread's flood does not starve another's shard (T28).</summary>
    /// <inheritdoc cref="InjectorShard.TryTransfer" path="/param"/>
    public int TryTransfer(ref int start, WorkItemRing destination, int most, ref MovedBatch batch, out ItemRange? range)
    {
        range = null;
        if (HasContinuing && TryMoveContinuing(destination))
        {
            return 1;
        }

        if (IsPaused)
        {
            return 0;
        }

        for (int i = 0; i < _shards.Length; i++)
        {
            int shard = (start + i) & (_shards.Length - 1);
            int moved = _shards[shard].TryTransfer(destination, most, ref batch, out range);
            if (moved != 0 || range is not null)
            {
                start = shard + 1;
                return moved;
            }
        }

        return 0;
    }

    /// <summary>Takes the oldest item of the first non-empty shard. <see langword="false"/> also while other consumers hold the locks.</summary>
    public bool TryTakeNow(ref int start, ref WorkItem item)
    {
        if (HasContinuing && TryTakeAnyContinuing(ref item))
        {
            return true;
        }

        if (IsPaused)
        {
            return false;
        }

        for (int i = 0; i < _shards.Length; i++)
        {
            int shard = (start + i) & (_shards.Length - 1);
            if (_shards[shard].TryTakeNow(ref item))
            {
                start = shard + 1;
                return true;
            }
        }

        return false;
    }

    /// <summary>Gives back the memory of earlier backlogs.</summary>
    public void Trim()
    {
        foreach (InjectorShard shard in Shards)
        {
            shard.Trim();
        }
    }

    /// <summary>Takes all items.</summary>
    public void TakeAll(List<WorkItem> destination)
    {
        WorkItem item = default;
        foreach (InjectorShard shard in Shards)
        {
            while (shard.TryTake(ref item))
            {
                destination.Add(item);
            }
        }
    }

    /// <summary>Takes one item that satisfies <paramref name="match"/>.</summary>
    /// <inheritdoc cref="InjectorShard.TryTakeMatching" path="/param"/>
    public bool TryTakeMatching<TArgument>(ItemPredicate<TArgument> match, TArgument argument, ref WorkItem item, bool isLastLook = false)
    {
        foreach (InjectorShard shard in Shards)
        {
            if (shard.TryTakeMatching(match, argument, ref item, isLastLook))
            {
                return true;
            }
        }

        return false;
    }

    /// <inheritdoc cref="InjectorShard.RemoveHoles"/>
    public void RemoveHoles()
    {
        foreach (InjectorShard shard in Shards)
        {
            shard.RemoveHoles();
        }
    }

    /// <summary>A snapshot of the waiting items, shard by shard, the oldest first; for a debugger.</summary>
    public IEnumerable<WorkItem> PendingItems() => Shards.SelectMany(static shard => shard.PendingItems());

    private static long CountIn(InjectorShard[] shards)
    {
        long count = 0;
        foreach (InjectorShard shard in shards)
        {
            count += shard.Count;
        }

        return count;
    }
}
