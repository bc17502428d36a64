using System.Diagnostics;
using NativeThreading.Tuning;

namespace NativeThreading.Simulation;

/// <summary>A worker. As Worker, Thief, QueueScan and ItemOrder. A lone item wakes no worker, as if there always were a sentinel.</summary>
internal sealed class SimulatedWorker : Agent
{
    private const int WorkersPerStep = 8;
    private const int PollsPerStep = 5;
    private const long TimeBetweenLooksAtOthers = 1_000;

    private static readonly long s_lateBatch = Nanoseconds(WorkerTuning.LateBatch);
    private static readonly long s_betweenSearches = Nanoseconds(WorkerTuning.TimeBetweenSearches);
    private static readonly long s_batchTime = Nanoseconds(WorkerTuning.BatchTime);

    private readonly int _index;
    private readonly SimulatedWork _work;
    private readonly Line _lookingLine = new(LineKind.Looking);
    private readonly Line _mark = new(LineKind.Holders);
    private bool _isLooking;
    private bool _isChosen;
    private int _nextShard;
    private int _nextVictim;

    // What it has moved into its lane, and how much it may move at once.
    private bool _isHolder;
    private long _end; // of the last batch, and when it was moved
    private long _since;
    private long _nextSearch;
    private int _picksLeft = 1;
    private int _picksToLook;
    private long _completed;
    private long _measuredSince;
    private int _mostPerBatch = 1;

    public SimulatedWorker(SimulatedPool pool, int index, SimulatedWork work)
        : base(pool) => (_index, _work, Queues) = (index, work, new SimulatedQueues(this));

    public SimulatedQueues Queues { get; }

    /// <summary>When the batch was moved of which the worker still holds items.</summary>
    private long? HeldSince => Math.Min(_end - Queues.Lane.Position, Queues.Lane.Count) > 0 ? _since : null;

    public bool SeemsLookingTo(Agent reader)
    {
        _lookingLine.Read(reader);
        return _isLooking;
    }

    /// <summary>Publishes an item, and asks for help with it if the word says that there may be some.</summary>
    public void Push(in SimulatedItem item, bool local)
    {
        Pool.Count(local ? Counted.DequePush : Counted.LanePush);
        Spend(Costs.Make);
        Queues.Push(item, local, this);
        Pool.Signal.Word.Read(this);
        if (Pool.Signal.IdleCount != 0 && Queues.Pending > 1)
        {
            Spend(Costs.Atomic);
            Pool.Signal.Request(this);
        }
    }

    /// <summary>Was popped from the stack: woken if it sleeps, else it will notice before it does.</summary>
    public void Choose(Agent producer)
    {
        _isChosen = true;
        if (IsAsleep)
        {
            Pool.Plan(this, producer.Now + Costs.WakeLatency);
            producer.Charge(LineKind.Wake, Costs.Wake);
        }
    }

    /// <summary>Finds work elsewhere, runs items until its queues are empty, and begins anew. A worker that finds nothing lingers, looks, announces
    /// itself, looks again and parks.</summary>
    protected override IEnumerator<bool> Live()
    {
        SimulatedWorker[] all = Pool.Workers;
        if (_isChosen)
        {
            EndPark(); // it was parked from the beginning
        }

        while (true)
        {
            while (!TryTakeLate() && !TryFetch())
            {
                Pool.Signal.Word.Read(this);
                bool found = false;
                for (int i = 0; i < all.Length && !found && MayOthersHold(); i++)
                {
                    if (i % WorkersPerStep == 0)
                    {
                        yield return Goes;
                    }

                    found = TryStealFrom(all[(_index + _nextVictim + i) % all.Length]);
                    _nextVictim = found ? (_nextVictim + i) % all.Length : _nextVictim;
                }

                if (found)
                {
                    break;
                }

                Measure();
                _measuredSince = 0;
                MarkHolder();
                if (!Pool.Signal.IsLingering)
                {
                    Pool.Signal.Linger(this, begins: true);
                    (long end, long lookAtOthers) = (Now + Costs.Linger, 0);
                    while (!(found = Pool.LooksNonEmpty(this) || (Now >= lookAtOthers && SeesWork(out lookAtOthers))) && Now < end)
                    {
                        Spend(PollsPerStep * Costs.Poll);
                        yield return Goes;
                    }

                    Pool.Signal.Linger(this, begins: false);
                }

                for (int announced = 0; !found; announced = 1)
                {
                    yield return Goes;
                    Pool.Signal.Word.Read(this);
                    found = Queues.Pending != 0 || Pool.LooksNonEmpty(this);
                    for (int i = 0; i < all.Length && !found && MayOthersHold(announced); i++)
                    {
                        if (i % WorkersPerStep == WorkersPerStep - 1)
                        {
                            yield return Goes;
                        }

                        found = HasWork(all[i]);
                    }

                    if (announced == 0 && !found)
                    {
                        Pool.Signal.Announce(this);
                        EndLooking();
                        if (Pool.Signal.IdleCount < all.Length)
                        {
                            PassBarrier();
                        }
                    }
                    else if (announced != 0 && found && Pool.Signal.TryWithdraw(this))
                    {
                        BeginLooking();
                    }
                    else if (announced != 0)
                    {
                        if (!_isChosen)
                        {
                            yield return Sleeps;
                        }

                        EndPark();
                        found = true;
                    }
                }

                yield return Goes;
            }

            yield return Goes;
            for (bool passesOn = true; Queues.TryTake(out SimulatedItem item); passesOn = --_picksLeft <= 0 && LookAtOrder())
            {
                EndLooking();
                if (passesOn)
                {
                    PassOn();
                }

                Spend(Pool.Vary(Costs.Item) + _work.TimeOf(item));
                do
                {
                    yield return Goes; // the effects of an item come when its time is over
                }
                while (!_work.GoOn(this, ref item));

                _completed++;
                Pool.Executed++;
                Pool.Finished = Math.Max(Pool.Finished, Now);
                yield return Goes;
            }

            BeginLooking();
            yield return Goes;
        }
    }

    private bool MayOthersHold(int announced = 0) => Pool.Signal.IdleCount - announced < Pool.Workers.Length - 1;

    private bool HasWork(SimulatedWorker other) => other != this && other.Queues.HaveWork(this);

    private bool SeesWork(out long nextLook)
    {
        nextLook = Now + TimeBetweenLooksAtOthers;
        return MayOthersHold() && Array.Exists(Pool.Workers, HasWork);
    }

    /// <summary>If there is more work, another worker is asked for.</summary>
    private void PassOn()
    {
        Pool.Signal.Word.Read(this);
        if (Pool.Signal.IdleCount != 0 && (Queues.Pending != 0 || Pool.LooksNonEmpty(this) || SeesWork(out _)))
        {
            Spend(Costs.Atomic);
            Pool.Signal.Request(this);
        }
    }

    /// <summary>Moves a batch of the first shard that has one.</summary>
    private bool TryFetch()
    {
        SimulatedShard[] shards = Pool.Shards;
        for (int i = 0; i < shards.Length; i++)
        {
            int moved = shards[(_nextShard + i) & (shards.Length - 1)].MoveTo(this, _mostPerBatch);
            if (moved != 0)
            {
                _nextShard += i + 1;
                Measure();
                _measuredSince = moved > 1 || Pool.LooksNonEmpty(this) ? Now : 0; // else what follows is not the items' cost
                BeginBatch(moved);
                return true;
            }
        }

        return false;
    }

    private bool TryStealFrom(SimulatedWorker victim)
    {
        if (!HasWork(victim) || victim.Queues.Ask(this) is not { } mover)
        {
            return false;
        }

        bool local = victim.Queues.Lane.Count == 0;
        SimulatedRing source = local ? victim.Queues.Deque : victim.Queues.Lane;
        int count = Math.Min((source.Count + 1) / 2, local ? QueueTuning.LocalSteal : _mostPerBatch);
        for (int i = 0; i < count; i++)
        {
            MoveOldest(source, local, mover);
        }

        victim.Queues.End(this, mover);
        Measure();
        if (!local && count > 1)
        {
            BeginBatch(count);
            victim._picksLeft = 1;
        }

        return true;
    }

    /// <summary>Moves the oldest item of another worker's queue into one of its own.</summary>
    private void MoveOldest(SimulatedRing source, bool local, Agent mover)
    {
        mover.Carry(); // out of the one ring, or into the other
        Queues.Push(source.Take(mover, newest: false), local, mover);
    }

    private void BeginLooking()
    {
        _lookingLine.Write(this);
        _isLooking = true;
        Pool.Signal.BeginLooking(this);
    }

    private void EndLooking()
    {
        if (_isLooking)
        {
            _isLooking = false;
            _lookingLine.Change(this);
        }
    }

    private void EndPark()
    {
        _isChosen = false;
        BeginLooking();
        Pool.Signal.Acknowledge(this);
    }

    private bool DoOthersHold()
    {
        Pool.HoldersLine.Read(this);
        return Pool.Holders != (_isHolder ? 1 : 0);
    }

    private void BeginBatch(int items)
    {
        if (items > 1)
        {
            (_end, _since) = (Queues.Lane.Position + Queues.Lane.Count, Now);
            MarkHolder();
            _picksLeft = DoOthersHold() && items > WorkerTuning.PicksPerCheck ? 1 : _picksLeft;
        }
    }

    /// <summary>Shows whether it holds a batch.</summary>
    private void MarkHolder()
    {
        bool holds = HeldSince is not null;
        if (_isHolder != holds)
        {
            _isHolder = holds;
            _mark.Change(this);
            Pool.HoldersLine.Change(this);
            Pool.Holders += holds ? 1 : -1;
        }
    }

    /// <summary>A look at the clock, and at batches that are late. Whether to look for others' work as well.</summary>
    private bool LookAtOrder()
    {
        Spend(Costs.Clock);
        bool atOthers = _picksToLook <= 0;
        if (atOthers)
        {
            _picksToLook = WorkerTuning.MostPicksPerLook;
            MarkHolder();
        }

        _picksLeft = DoOthersHold() ? Math.Min(WorkerTuning.PicksPerCheck, _picksToLook) : _picksToLook;
        _picksToLook -= _picksLeft;
        return TryTakeLate() || (atOthers && HeldSince is null);
    }

    /// <summary>Takes the front of another worker's batch that is late, and older than the batch of this one.</summary>
    private bool TryTakeLate()
    {
        if (!DoOthersHold() || Queues.Deque.Count != 0 || FindLate(HeldSince ?? long.MaxValue) is not { Pending: > 0 } from || from.Ask(this) is not { } mover)
        {
            return false;
        }

        MoveOldest(from.Lane.Count != 0 ? from.Lane : from.Deque, local: true, mover);
        from.End(this, mover);
        return true;
    }

    /// <summary>Looks at all workers, but not often: the oldest batch that is late.</summary>
    private SimulatedQueues? FindLate(long since)
    {
        long now = Now;
        if (now < _nextSearch)
        {
            return null;
        }

        SimulatedQueues? late = null;
        _nextSearch = now + s_betweenSearches;
        foreach (SimulatedWorker other in Pool.Workers)
        {
            if (other != this && LookAtBatch(other) is long held && held < since)
            {
                _nextSearch = Math.Min(_nextSearch, held + s_lateBatch);
                (late, since) = now >= held + s_lateBatch ? (other.Queues, held) : (late, since);
            }
        }

        return late;
    }

    private long? LookAtBatch(SimulatedWorker other)
    {
        other._mark.Read(this);
        if (!other._isHolder)
        {
            return null;
        }

        other.Queues.Lane.Head.Read(this);
        other.Queues.Lane.Tail.Read(this);
        return other.HeldSince;
    }

    /// <summary>How many items fit into a batch, by what they have cost since the last time.</summary>
    private void Measure()
    {
        if (_measuredSince != 0 && _completed > 0)
        {
            long fit = _completed * s_batchTime / Math.Max(Now - _measuredSince, 1);
            _mostPerBatch = (int)Math.Clamp(fit, 1, Math.Min(WorkerTuning.MostPerBatch, 2 * _mostPerBatch));
        }

        (_measuredSince, _completed) = (Now, 0);
    }

    private static long Nanoseconds(long ticks) => (long)(ticks * (1e9 / Stopwatch.Frequency));
}
