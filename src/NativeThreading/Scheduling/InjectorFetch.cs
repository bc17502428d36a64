using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>One worker's way to the injector queue: which shard is next, and whether it serves a range.</summary>
internal sealed class InjectorFetch(Worker worker, PoolState state, ItemOrder order)
{
    private int _nextShard;
    private bool _servesRange;

    /// <summary>Moves a batch into the own lane, or runs items of a range.</summary>
    /// <remarks>Never inlined: the frame of the worker's loop would keep the range alive while later items run (T149).</remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool TryFetch()
    {
        int moved = worker.Queues.Fetch(state.Injector, ref _nextShard, order.MostPerBatch, out ItemRange? range);
        bool goesOn = _servesRange;
        _servesRange = range is not null;
        if (range is not null)
        {
            Chaos.Point("InjectorFetch.TryFetch, range found");
            order.NoteRange(goesOn);
            return worker.RunSome(range, order.MostPerBatch);
        }

        if (moved != 0)
        {
            Chaos.Point("InjectorFetch.TryFetch, moved");
            order.NoteMoved(moved);
        }

        return moved != 0;
    }

    /// <summary>Whether the worker comes from a range: it may leave out one check of the injector queue. Called once for each time.</summary>
    public bool EndServing()
    {
        bool serves = _servesRange;
        _servesRange = false;
        return serves;
    }

    /// <summary>
    /// Runs items of the injector queue one by one, for as long as a batch of them may take, and until one has queued local
    /// items: those come next.
    /// </summary>
    public bool RunSome(long now)
    {
        WorkItem item = default;
        int count = 0;
        while (state.Injector.TryTakeNow(ref _nextShard, ref item))
        {
            // The item's slot was emptied before the head moved. A worker that announces itself idle between the two steps sees no item
            // after the slot. Pairs with the fence of the announcement: either that worker sees the head, or Run sees the announcement and
            // passes the request on (T9). A worker that scans has this fence from the end of its scan.
            Interlocked.MemoryBarrier();
            worker.Run(ref item);
            count++;
            if (count == WorkerTuning.MostInjectedPerLook
                || worker.Queues.LocalCount != 0
                || state.Attention != Attention.None
                || (count % WorkerTuning.PicksPerCheck == 1 && Stopwatch.GetTimestamp() - now >= WorkerTuning.PicksPerCheck * WorkerTuning.LongItem))
            {
                break;
            }
        }

        return count != 0;
    }
}
