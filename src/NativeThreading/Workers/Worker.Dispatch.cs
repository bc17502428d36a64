using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Queues;

namespace NativeThreading.Workers;

/// <summary>Running items until none is left anywhere.</summary>
internal sealed unsafe partial class Worker
{
    /// <summary>A worker that feeds itself looks at the other lanes after at most this many items, or this time.</summary>
    private const int MaxPicksBetweenLooks = 64;
    private static readonly long s_timeBetweenLooks = Stopwatch.Frequency / 1_000;

    private int _nextVictim;
    private int _nextShard;

    /// <summary>
    /// Runs items until this worker finds none, or until the pool has stopped. On entry the request that brought the
    /// worker here is acknowledged.
    /// </summary>
    private void Dispatch()
    {
        // The worker was woken for something, and while it was on its way nobody else was asked: it passes the request
        // on before it runs anything, if there is more (T4, T55). Likewise after each transfer from elsewhere (T9).
        do
        {
            RunFirst();
            RunOwn();
            Chaos.Point("Worker.Dispatch, nothing left");
            BeginLooking();
        }
        while (Refill());
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RunFirst()
    {
        WorkItem item = default;
        if (_queues.TryTake(ref item))
        {
            Run(ref item);
        }
    }

    /// <summary>The hot loop. The item lives in registers: nothing here takes its address.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RunOwn()
    {
        WorkItem item = default;
        while (_roster.Attention == 0 || Attend())
        {
            if (--_pace.PicksLeft <= 0)
            {
                item = default; // the one before; it has run, and this frame would keep it alive beside what the look runs
                if (TakeALook())
                {
                    continue;
                }
            }

            if (!_queues.TryTake(ref item))
            {
                return;
            }

            Execute(item.Callback!, item.State, item.Context);
        }
    }

    /// <summary>Asks for another worker if more work is visible than this one is about to run.</summary>
    internal void PassRequestOn()
    {
        ulong word = _signal.Word;
        Chaos.Point("Worker.PassRequestOn, word read");
        if ((word & WorkerSignal.NeedsSlowPath) != 0
            && (PendingCount != 0 || _pool.External.AnyItem || (MayOthersHold(word, 0) && AnyPending(_roster.Workers))))
        {
            Chaos.Point("Worker.PassRequestOn, more seen");

            // Whatever moved here from elsewhere is published before the word is read again (T9).
            Interlocked.MemoryBarrier();
            _pool.Request(_signal.Word);
        }
    }

    private static bool AnyPending(Worker[] workers)
    {
        foreach (Worker worker in workers)
        {
            if (worker.PendingCount != 0)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Brings items of the external lanes, or of another worker, into the own lane.</summary>
    private bool Refill()
    {
        if (_roster.Attention != 0)
        {
            if (!Attend())
            {
                return false;
            }

            if (StealFromBlocked())
            {
                return true;
            }
        }

        // What somebody moved and does not get on with is older than what lies outside.
        WorkItem item = default;
        if (OthersHold && TryTakeOlder(Stopwatch.GetTimestamp(), evenInTime: false, ref item))
        {
            Run(ref item);
            return true;
        }

        Chaos.Point("Worker.Refill, own queues empty");
        if (FetchExternal() != 0)
        {
            return true;
        }

        if (!MayOthersHold(_signal.Word, 0))
        {
            return false;
        }

        Chaos.Point("Worker.Refill, nothing outside");
        Worker[] workers = _roster.Workers;
        long now = 0;
        for (int i = 0; i < workers.Length; i++)
        {
            // Each worker starts at another victim, and none twice in a row at the same.
            Worker victim = workers[(int)((uint)(Index + _nextVictim + i) % (uint)workers.Length)];
            if (victim == this || victim.PendingCount == 0)
            {
                continue;
            }

            now = now != 0 ? now : Stopwatch.GetTimestamp();
            if (LookAt(victim, now) == Finding.Work && TrySteal(victim))
            {
                _nextVictim += i;
                NoteStolen(now);
                return true;
            }
        }

        return false;
    }

    /// <summary>
    /// Fetches from the external lanes. A worker that keeps up with a stream of items would take each one under the
    /// producer's hands, at the price of a few cache misses for both; after some small batches in a row it lets a
    /// few more items arrive first. Single items with pauses between them, as in a round trip, are not delayed.
    /// </summary>
    private int FetchExternal()
    {
        const int small = 4;
        const int manyInARow = 4;
        const int pause = 16;
        if (_pace.SmallBatches >= manyInARow)
        {
            Thread.SpinWait(pause);
        }

        int moved = _queues.Fetch(_pool.External, ref _nextShard, _cost.MostPerBatch);
        if (moved != 0)
        {
            Chaos.Point("Worker.FetchExternal, moved");
            NoteMoved(moved);
        }

        _pace.SmallBatches = moved is > 0 and < small ? _pace.SmallBatches + 1 : 0;
        return moved;
    }

    /// <summary>
    /// Every few items: whether older ones are late elsewhere, and, less often, whether other lanes starve.
    /// <see langword="true"/>: it ran an item, so that what the pool wants is to be looked at again.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TakeALook()
    {
        long now = Stopwatch.GetTimestamp();
        bool isFull = _pace.PicksBehindCheck <= 0;
        if (isFull)
        {
            SetNextLook(now);
            EndHolding();
        }

        WorkItem item = default;
        bool othersHold = OthersHold;
        bool isLong = CheckItems(now, othersHold);
        if (othersHold && TryTakeOlder(now, evenInTime: isLong, ref item))
        {
            Run(ref item);
            return true;
        }

        return isFull && ServeOtherLanes(now);
    }

    /// <summary>
    /// What a worker does every so often that always has items of its own: it runs the oldest item of its own lane, some
    /// of the external lanes, and one of another worker that does not get on, so that no lane starves (T27). They are
    /// run here, not moved: behind the own items they would be overtaken by those that came after them.
    /// </summary>
    private bool ServeOtherLanes(long now)
    {
        WorkItem item = default;
        bool taken = _queues.TryTakeFromLane(ref item);
        if (taken)
        {
            Run(ref item);
        }

        // While it holds items from outside it serves the outside.
        if (_queues.HeldCount <= 0)
        {
            taken |= RunExternal(now) || HelpOneOther(now);
        }

        return taken;
    }

    /// <summary>
    /// Runs items of outside threads one by one, for as long as a batch of them may take, and until one has queued local
    /// items: those come next.
    /// </summary>
    private bool RunExternal(long now)
    {
        const int most = 16;
        WorkItem item = default;
        int count = 0;
        while (_pool.External.TryTakeNow(ref _nextShard, ref item))
        {
            Run(ref item);
            count++;
            if (count == most || _queues.LocalCount != 0 || (count % PicksPerCheck == 1 && Stopwatch.GetTimestamp() - now >= PicksPerCheck * s_longItem))
            {
                break;
            }
        }

        return count != 0;
    }

    /// <summary>Runs an item after a look; whoever is needed for more is asked before that (T9).</summary>
    private void Run(ref WorkItem item)
    {
        EndLooking();
        PassRequestOn();
        (Action<object?> callback, object? state, object? context) = (item.Callback!, item.State, item.Context);
        item = default; // it lies in the caller's frame, which would keep it alive beside the items that follow
        Execute(callback, state, context);
    }

    /// <summary>
    /// Reading the clock costs two items' worth, so it is read once per look, and the looks come as often as the items
    /// of the last interval were long. After an abrupt change from short to long items one look can be late.
    /// </summary>
    private void SetNextLook(long now)
    {
        long elapsed = now - _pace.LastLook;
        _pace.LastLook = now;
        long picks = elapsed <= 0 ? MaxPicksBetweenLooks : _pace.PicksPerLook * (s_timeBetweenLooks / 4) / elapsed;
        _pace.PicksPerLook = (int)Math.Clamp(picks, 1, Math.Min(MaxPicksBetweenLooks, _pace.PicksPerLook * 4));
        _pace.PicksBehindCheck = _pace.PicksPerLook;
    }

    private bool HelpOneOther(long now)
    {
        Worker[] workers = _roster.Workers;
        Worker other = workers.Length == 0 ? this : workers[(int)((uint)++_nextVictim % (uint)workers.Length)];
        if (other == this || other.PendingCount == 0)
        {
            return false;
        }

        // Only one that has completed nothing since the last look at it: the others serve their queues themselves.
        WorkItem item = default;
        if (SeenOf(other).StillFor(other.CompletedCount, now) < s_timeBetweenLooks || !TryTakeFrontOf(other, ref item))
        {
            return false;
        }

        Run(ref item);
        return true;
    }
}
