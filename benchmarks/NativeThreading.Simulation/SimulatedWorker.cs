using NativeThreading.Tuning;

namespace NativeThreading.Simulation;

/// <summary>A worker, which runs items until it finds none. As Worker.</summary>
internal sealed partial class SimulatedWorker : Agent
{
    private const int WorkersPerStep = 8;

    private readonly Line _lookingLine = new(LineKind.Looking);
    private readonly Line _completedLine = new(LineKind.QueueEnds);
    private Action<SimulatedWorker> _next = static worker => worker.LookFromPark();
    private SimulatedItem _inHand;
    private bool _isLooking;
    private long _completed;
    private int _nextShard;
    private int _nextVictim;
    private int _victim;

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
        if (Pool.Signal.IdleCount != 0 && (Pool.Signal.Sentinel is null || Queues.Pending > 1))
        {
            Count(Counted.HelpAsked);
            Fence();
            Pool.Signal.Request(this);
        }
    }

    protected override void Step()
    {
        _next(this);
        if (!IsAsleep)
        {
            PlanAt(Now);
        }
    }

    /// <summary>Takes the next item of its own.</summary>
    private void TakeNext()
    {
        bool passesOn = --_picksLeft <= 0 && LookAtOrder();
        if (Queues.TryTake(out _inHand))
        {
            Begin(passesOn);
            return;
        }

        BeginLooking();
        _next = static worker => worker.Refill();
    }

    /// <summary>Takes the first of the items that came from elsewhere.</summary>
    private void TakeFirst()
    {
        _next = static worker => worker.TakeNext();
        if (Queues.TryTake(out _inHand))
        {
            EndLooking();
            Begin(passesOn: true);
        }
    }

    /// <summary>The effects of the item in hand come when its time is over, at the next step. If there is more work, another worker is asked for.</summary>
    private void Begin(bool passesOn)
    {
        if (passesOn)
        {
            Pool.Signal.Word.Read(this);
            if (Pool.Signal.IdleCount != 0 && SeesAny())
            {
                Fence();
                Pool.Signal.Request(this);
            }
        }

        _next = static worker => worker.EndItem();
        Spend(Pool.Vary(Costs.Item) + Pool.Shape.TimeOf(_inHand));
    }

    private void EndItem()
    {
        if (Pool.Shape.GoOn(this, ref _inHand))
        {
            _completed++;
            _completedLine.Write(this);
            Pool.Completed(Now);
            _next = static worker => worker.TakeNext();
        }
    }

    /// <summary>Looks for work elsewhere: in the shards, then, step by step, at the other workers.</summary>
    private void Refill()
    {
        if (TryTakeLate() || TryFetch())
        {
            _next = static worker => worker.TakeFirst();
            return;
        }

        Pool.Signal.Word.Read(this);
        if (!MayOthersHold(announced: 0))
        {
            BeginIdle();
            return;
        }

        _victim = 0;
        _next = static worker => worker.Steal();
    }

    private void Steal()
    {
        SimulatedWorker[] workers = Pool.Workers;
        for (int step = 0; step < WorkersPerStep && _victim < workers.Length; step++, _victim++)
        {
            SimulatedWorker victim = workers[(Index + _nextVictim + _victim) % workers.Length];
            if (victim != this)
            {
                victim.Queues.ReadEnds(this);
            }

            if (victim == this || victim.Queues.Pending == 0)
            {
                Count(Counted.StealPass);
            }
            else if (LookAt(victim) == Finding.Work && TryStealFrom(victim))
            {
                _nextVictim = (_nextVictim + _victim) % workers.Length;
                _next = static worker => worker.TakeFirst();
                return;
            }
        }

        if (_victim == workers.Length)
        {
            BeginIdle();
        }
    }

    /// <summary>Moves a batch of the first shard that has one.</summary>
    private bool TryFetch()
    {
        SimulatedShard[] shards = Pool.Shards;
        for (int i = 0; i < shards.Length; i++)
        {
            int at = (_nextShard + i) & (shards.Length - 1);
            if (shards[at].TryLock(this))
            {
                _nextShard = at + 1;
                Fetch(shards[at]);
                return true;
            }
        }

        return false;
    }

    private void Fetch(SimulatedShard shard)
    {
        int moved = (Math.Min(2 * Math.Min(_mostPerBatch, QueueTuning.ShardBatch), shard.Count) + 1) / 2;
        for (int i = 0; i < moved; i++)
        {
            Queues.Push(shard.Take(this), local: false, this);
        }

        shard.Unlock(this);
        Count((Counted)Counters.SizeOf(Counted.TransferSizes, moved));
        if (moved > 1 || Pool.LooksNonEmpty(this))
        {
            Measure();
        }
        else
        {
            _measuredSince = 0;
        }

        if (moved > 1)
        {
            BeginBatch();
        }
    }

    private bool TryStealFrom(SimulatedWorker victim)
    {
        if (victim.Queues.Ask(this) is not { } mover)
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
        if (count != 0)
        {
            Count(Counted.Steal);
            Count(Counted.StolenItem, count);
            Count((Counted)Counters.SizeOf(Counted.StealSizes, count));
            Measure();
            if (!local && count > 1)
            {
                BeginBatch();
                victim._picksLeft = 1;
            }
        }

        return count != 0;
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
}
