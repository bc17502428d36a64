using System.Runtime.CompilerServices;

namespace NativeThreading.Queues;

/// <summary>The items with a priority, in two shards of their own. All threads queue there, the pool's workers included.</summary>
internal sealed partial class InjectorQueue
{
    private PrioritizedShards? _prioritized; // made with the pool's first item that has a priority, and kept

    /// <summary>Whether an item with <see cref="WorkPriority.High"/> waits: plain reads.</summary>
    public bool HasHigh => Volatile.Read(ref _prioritized) is { High.IsEmpty: false };

    /// <summary>Whether an item with <see cref="WorkPriority.Low"/> waits: plain reads.</summary>
    public bool HasLow => Volatile.Read(ref _prioritized) is { Low.IsEmpty: false };

    /// <summary>Whether an item without a priority waits: plain reads.</summary>
    public bool HasNormal => Array.Exists(_shards, static shard => !shard.IsEmpty);

    /// <summary>Publishes an item after all earlier ones of its priority, and ends with a full fence.</summary>
    public void EnqueuePrioritized(WorkPriority priority, Action<object?> callback, object? state, object? context) =>
        (Volatile.Read(ref _prioritized) ?? AddPriorities()).Of(priority).Enqueue(callback, state, context);

    /// <summary>Takes the oldest item of a priority. <see langword="false"/> also while another consumer holds the lock, or the pool is paused.</summary>
    public bool TryTakePrioritized(WorkPriority priority, ref WorkItem item) =>
        !IsPaused && Volatile.Read(ref _prioritized) is { } shards && shards.Of(priority).TryTakeNow(ref item);

    /// <summary>Of two threads that come at once, the shards of one stay empty.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private PrioritizedShards AddPriorities()
    {
        var shards = new PrioritizedShards();
        AddToAll([shards.High, shards.Low]); // first: no worker scans a shard that is not added
        return Interlocked.CompareExchange(ref _prioritized, shards, null) ?? shards;
    }

    private void AddToAll(InjectorShard[] shards)
    {
        InjectorShard[] before;
        do
        {
            before = Shards;
        }
        while (Interlocked.CompareExchange(ref _all, [.. before, .. shards], before) != before);
    }

    private sealed class PrioritizedShards
    {
        public InjectorShard High { get; } = new();

        public InjectorShard Low { get; } = new();

        public InjectorShard Of(WorkPriority priority) => priority == WorkPriority.High ? High : Low;
    }
}
