using NativeThreading.Tuning;

namespace NativeThreading.Simulation;

/// <summary>A worker. As Worker, Thief and QueueScan. A lone item wakes no worker, as if there always were a sentinel.</summary>
internal sealed partial class SimulatedWorker : Agent
{
    private const int WorkersPerStep = 8;
    private const int PollsPerStep = 5;
    private const long TimeBetweenLooksAtOthers = 1_000;

    private readonly Line _lookingLine = new(LineKind.Looking);
    private bool _isLooking;
    private bool _isChosen;
    private long _completed;
    private int _nextShard;
    private int _nextVictim;
    private int _firstLookedAt;

    public SimulatedWorker(SimulatedPool pool, int index)
        : base(pool, index) => Queues = new SimulatedQueues(this);

    public SimulatedQueues Queues { get; }

    public bool SeemsLookingTo(Agent reader)
    {
        _lookingLine.Read(reader);
        return _isLooking;
    }

    /// <summary>Publishes an item, and asks for help with it if the word says that there may be some.</summary>
    public void Push(in SimulatedItem item, bool local)
    {
        Count(local ? Counted.DequePush : Counted.LanePush);
        Spend(Costs.Make);
        Queues.Push(item, local, this);
        Pool.Signal.Word.Read(this);
        if (Pool.Signal.IdleCount != 0 && Queues.Pending > 1)
        {
            Fence();
            Pool.Signal.Request(this);
        }
    }

    /// <summary>Was popped from the stack: woken if it sleeps, else it will notice before it does.</summary>
    public void Choose(Agent producer)
    {
        _isChosen = true;
        if (IsAsleep)
        {
            PlanAt(producer.Now + Costs.WakeLatency);
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
                for (int i = 0; i < all.Length && !found && (i != 0 || MayOthersHold(announced: 0)); i++)
                {
                    if (i % WorkersPerStep == 0)
                    {
                        yield return Goes;
                    }

                    found = TryStealFrom(all[(Index + _nextVictim + i) % all.Length]);
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

                bool isAnnounced = false;
                while (!found)
                {
                    yield return Goes;
                    Pool.Signal.Word.Read(this);
                    _firstLookedAt += WorkersPerStep;
                    found = Queues.Pending != 0 || Pool.LooksNonEmpty(this);
                    for (int i = 0; i < all.Length && !found && MayOthersHold(isAnnounced ? 1 : 0); i++)
                    {
                        if (i % WorkersPerStep == WorkersPerStep - 1)
                        {
                            yield return Goes;
                            Pool.Signal.Word.Read(this);
                        }

                        found = HasWork(all[(_firstLookedAt + i) % all.Length], Counted.WorkerLook);
                    }

                    if (found || isAnnounced)
                    {
                        break;
                    }

                    isAnnounced = true;
                    Pool.Signal.Announce(this);
                    EndLooking();
                    if (Pool.Signal.IdleCount < all.Length)
                    {
                        PassBarrier(Counted.ParkBarrier);
                    }
                }

                if (found)
                {
                    BeginLooking();
                    if (isAnnounced && !Pool.Signal.TryWithdraw(this))
                    {
                        _isChosen = false;
                        Pool.Signal.Acknowledge(this);
                    }
                }
                else
                {
                    Count(Counted.Park);
                    if (!_isChosen)
                    {
                        yield return Sleeps;
                    }

                    EndPark();
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

                Spend(Pool.Vary(Costs.Item) + Pool.Shape.TimeOf(item));
                do
                {
                    yield return Goes; // the effects of an item come when its time is over
                }
                while (!Pool.Shape.GoOn(this, ref item));

                _completed++;
                Pool.Completed(Now);
                yield return Goes;
            }

            BeginLooking();
            yield return Goes;
        }
    }

    private bool MayOthersHold(int announced) => Pool.Signal.IdleCount - announced < Pool.Workers.Length - 1;

    /// <summary>Whether there is more than a lone item, which is its owner's.</summary>
    private bool HasWork(SimulatedWorker other, Counted look)
    {
        if (other != this)
        {
            Count(look);
            other.Queues.ReadEnds(this);
        }

        return other != this && other.Queues.Pending > 1;
    }

    private bool SeesWork(out long nextLook)
    {
        nextLook = Now + TimeBetweenLooksAtOthers;
        return MayOthersHold(announced: 0) && Array.Exists(Pool.Workers, other => HasWork(other, Counted.WorkerLook));
    }

    /// <summary>If there is more work, another worker is asked for.</summary>
    private void PassOn()
    {
        Pool.Signal.Word.Read(this);
        if (Pool.Signal.IdleCount != 0 && (Queues.Pending != 0 || Pool.LooksNonEmpty(this)
            || (MayOthersHold(announced: 0) && Array.Exists(Pool.Workers, other => HasWork(other, Counted.PassLook)))))
        {
            Fence();
            Pool.Signal.Request(this);
        }
    }

    /// <summary>Moves a batch of the first shard that has one.</summary>
    private bool TryFetch()
    {
        SimulatedShard[] shards = Pool.Shards;
        for (int i = 0; i < shards.Length; i++)
        {
            SimulatedShard shard = shards[(_nextShard + i) & (shards.Length - 1)];
            if (!shard.TryLock(this))
            {
                continue;
            }

            _nextShard += i + 1;
            int moved = (Math.Min(2 * Math.Min(_mostPerBatch, QueueTuning.ShardBatch), shard.Count) + 1) / 2;
            for (int item = 0; item < moved; item++)
            {
                Queues.Push(shard.Take(this), local: false, this);
            }

            shard.Unlock(this);
            Measure();
            _measuredSince = moved > 1 || Pool.LooksNonEmpty(this) ? Now : 0; // else what follows is not the items' cost
            BeginBatch(moved);
            return true;
        }

        return false;
    }

    private bool TryStealFrom(SimulatedWorker victim)
    {
        if (!HasWork(victim, Counted.StealPass) || victim.Queues.Ask(this) is not { } mover)
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
        Count(Counted.Steal);
        Count(Counted.StolenItem, count);
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
        source.Head.Write(mover);
        mover.Charge(LineKind.Items, Costs.ItemTransfer); // out of the one ring, or into the other
        Queues.Push(source.TakeOldest(), local, mover);
    }

    private void BeginLooking()
    {
        Count(Counted.LookBegin);
        _lookingLine.Write(this);
        _isLooking = true;
        Pool.LastToLookLine.Read(this);
        if (Pool.LastToLook != this)
        {
            Count(Counted.LastToLookChange);
            Pool.LastToLookLine.Write(this);
            Pool.LastToLook = this;
        }
    }

    private void EndLooking()
    {
        if (_isLooking)
        {
            Count(Counted.LookEnd);
            _isLooking = false;
            _lookingLine.Write(this);
            Fence();
        }
    }

    private void EndPark()
    {
        _isChosen = false;
        BeginLooking();
        Pool.Signal.Acknowledge(this);
    }
}
