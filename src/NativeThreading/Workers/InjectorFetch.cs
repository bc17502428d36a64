using System.Runtime.CompilerServices;
using NativeThreading.Queues;

namespace NativeThreading.Workers;

/// <summary>One worker's way to the injector queue: which shard is next, and whether to let more items arrive first.</summary>
internal sealed class InjectorFetch(Worker worker, PoolState state, ItemOrder order)
{
    private int _nextShard;
    private int _smallBatches; // in a row
    private bool _servesRange;

    /// <summary>
    /// Moves a batch into the own lane, or claims a portion of a range. A worker that keeps up with a stream of items would take each
    /// one under the producer's hands, at the price of a few cache misses for both; after some small batches in a row it lets
    /// a few more items arrive first. Single items with pauses between them, as in a round trip, are not delayed.
    /// </summary>
    /// <remarks>Never inlined: the frame of the worker's loop would keep what it meets alive while later items run (T149).</remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool TryFetch()
    {
        if (Mechanisms.BatchPause && _smallBatches >= WorkerTuning.SmallBatchesBeforePause)
        {
            Thread.SpinWait(WorkerTuning.BatchPause);
        }

        int moved = worker.Queues.Fetch(state.Injector, ref _nextShard, order.MostPerBatch);
        _servesRange = worker.Queues.PortionCount != 0;
        if (moved != 0)
        {
            Chaos.Point("InjectorFetch.TryFetch, moved");
            order.NoteMoved(moved);
        }

        // More items of a range do not arrive: a small portion is no sign of a stream.
        _smallBatches = moved is > 0 and < WorkerTuning.SmallBatch && !_servesRange ? _smallBatches + 1 : 0;
        return moved != 0;
    }

    /// <summary>Whether the worker comes from a range: it may leave out one look at the injector queue. Asked once for each time.</summary>
    public bool EndServing()
    {
        bool serves = _servesRange;
        _servesRange = false;
        return serves;
    }

    /// <summary>Takes one item; <see langword="false"/> also where others are at them.</summary>
    public bool TryTakeNow(ref WorkItem item) => state.Injector.TryTakeNow(ref _nextShard, ref item);
}
