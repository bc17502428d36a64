using NativeThreading.Tuning;

namespace NativeThreading.Simulation;

/// <summary>What a look at the queues found.</summary>
internal enum Finding
{
    Nothing,
    Lone,
    Work,
}

/// <summary>What a worker does that finds no work: it lingers, looks, announces itself, looks again, parks. As Worker.WaitForWork and QueueScan.</summary>
internal sealed partial class SimulatedWorker
{
    private const int PollsPerStep = 5;
    private const long FirstNextLook = 50_000;
    private const long LastNextLook = 1_000_000;
    private const long TimeBetweenLooksAtOthers = 1_000;
    private const long LoneItemAge = 2_000;

    private readonly (long Since, long Completed)[] _lone = new (long, long)[Most]; // of each worker with a lone item
    private Finding _found;
    private bool _isAnnounced;
    private bool _isSentinel;
    private bool _isChosen;
    private int _looked; // of the workers, in this look
    private int _firstLookedAt;
    private int _credit = SpinTuning.FirstCredit;
    private long _completedBefore = -1;
    private long _lingerEnd;
    private long _lookAtOthers;
    private long _nextLook;
    private long _parkedAt;

    /// <summary>Parked, or woken and on its way.</summary>
    public bool IsAsleep { get; private set; } = true;

    /// <summary>Awake from the beginning.</summary>
    public void Start()
    {
        IsAsleep = false;
        _next = static worker => worker.Refill();
        PlanAt(0);
    }

    /// <summary>Was popped from the stack: woken if it sleeps, else it will notice before it does.</summary>
    public void Choose(Agent producer)
    {
        _isChosen = true;
        if (IsAsleep)
        {
            _next = static worker => worker.WakeUp();
            PlanAt(producer.Now + Costs.WakeLatency);
            producer.Charge(LineKind.Wake, Costs.Wake);
        }
    }

    private bool MayOthersHold(int announced) => Pool.Signal.IdleCount - announced < Pool.Workers.Length - 1;

    /// <summary>Whether any queue holds an item.</summary>
    private bool SeesAny() => Queues.Pending != 0 || Pool.LooksNonEmpty(this) || (MayOthersHold(announced: 0) && Array.Exists(Pool.Workers, other =>
    {
        Count(Counted.PassLook);
        other.Queues.ReadEnds(this);
        return other.Queues.Pending != 0;
    }));

    private Finding LookAt(SimulatedWorker other)
    {
        Count(Counted.WorkerLook);
        other.Queues.ReadEnds(this);
        ref (long Since, long Completed) seen = ref _lone[other.Index];
        if (other.Queues.Pending != 1)
        {
            seen.Since = other.Queues.Pending == 0 ? 0 : seen.Since;
            return other.Queues.Pending == 0 ? Finding.Nothing : Finding.Work;
        }

        other._completedLine.Read(this);
        seen = seen.Since == 0 || seen.Completed != other._completed ? (Now, other._completed) : seen;
        return Now - seen.Since >= LoneItemAge ? Finding.Work : Finding.Lone;
    }

    private void BeginIdle()
    {
        Measure();
        _measuredSince = 0;
        EndHolding();
        if (_completed == _completedBefore)
        {
            EndLooking();
            Spend(Costs.Yield);
            BeginLooking();
        }

        _completedBefore = _completed;
        _nextLook = FirstNextLook;
        if (_credit > 0 && Pool.Signal.TryBeginLinger(this))
        {
            Count(Counted.Linger);
            (_lingerEnd, _lookAtOthers) = (Now + Costs.Linger, 0);
            _next = static worker => worker.Linger();
        }
        else
        {
            BeginLook();
        }
    }

    /// <summary>Some polls.</summary>
    private void Linger()
    {
        bool found = Pool.LooksNonEmpty(this);
        if (!found && Now >= _lookAtOthers)
        {
            found = MayOthersHold(announced: 0) && Array.Exists(Pool.Workers, other => other != this && LookAt(other) == Finding.Work);
            _lookAtOthers = Now + TimeBetweenLooksAtOthers;
        }

        if (!found && Now < _lingerEnd)
        {
            Spend(PollsPerStep * Costs.Poll);
            return;
        }

        Pool.Signal.EndLinger(this);
        AddCredit(found ? 1 : -1);
        if (found)
        {
            ReturnToWork();
        }
        else
        {
            BeginLook();
        }
    }

    private void BeginLook()
    {
        (_found, _looked) = (Finding.Nothing, 0);
        _firstLookedAt += WorkersPerStep;
        _next = static worker => worker.Look();
    }

    /// <summary>A part of a look.</summary>
    private void Look()
    {
        if (_looked == 0 && (Queues.Pending != 0 || Pool.LooksNonEmpty(this)))
        {
            EndLook(Finding.Work);
            return;
        }

        Pool.Signal.Word.Read(this);
        bool mayOthersHold = MayOthersHold(_isAnnounced ? 1 : 0);
        for (int step = 0; mayOthersHold && step < WorkersPerStep && _looked < Pool.Workers.Length && _found != Finding.Work; step++, _looked++)
        {
            SimulatedWorker other = Pool.Workers[(_firstLookedAt + _looked) % Pool.Workers.Length];
            Finding there = other == this ? Finding.Nothing : LookAt(other);
            _found = there > _found ? there : _found;
        }

        if (!mayOthersHold || _found == Finding.Work || _looked == Pool.Workers.Length)
        {
            EndLook(_found);
        }
    }

    private void EndLook(Finding found)
    {
        if (_isAnnounced && (found == Finding.Nothing || (found == Finding.Lone && (_isSentinel || Pool.Signal.Sentinel is not null))))
        {
            Park();
            return;
        }

        if (_isAnnounced)
        {
            BeginLooking();
            EndAnnouncement(Counted.Withdraw);
        }

        if (found == Finding.Work)
        {
            ReturnToWork();
        }
        else
        {
            Announce(found);
        }
    }

    private void Announce(Finding found)
    {
        _isSentinel = found == Finding.Lone && Pool.Signal.TryAnnounce(this, asSentinel: true);
        if (!_isSentinel)
        {
            Pool.Signal.TryAnnounce(this, asSentinel: false);
        }

        _isAnnounced = true;
        EndLooking();
        if (Pool.Signal.IdleCount < Pool.Workers.Length && !_isSentinel)
        {
            PassBarrier(Counted.ParkBarrier);
        }

        BeginLook();
    }

    private void EndAnnouncement(Counted what)
    {
        _isAnnounced = false;
        if (!Pool.Signal.TryWithdraw(this, what))
        {
            _isChosen = false;
            Pool.Signal.Acknowledge(this);
        }
    }

    private void Park()
    {
        Count(Counted.Park);
        _parkedAt = Now;
        if (_isChosen)
        {
            WakeUp();
            return;
        }

        IsAsleep = true;
        _next = static worker => worker.LookFromPark();
        if (_isSentinel)
        {
            PlanAt(Now + _nextLook);
        }
    }

    /// <summary>The sentinel's time is over.</summary>
    private void LookFromPark()
    {
        IsAsleep = false;
        _nextLook = Math.Min(2 * _nextLook, LastNextLook);
        EndAnnouncement(Counted.ParkTimeout);
        BeginLook();
    }

    private void WakeUp()
    {
        IsAsleep = _isChosen = _isAnnounced = false;
        ReturnToWork();
        Pool.Signal.Acknowledge(this);
        if (Now - _parkedAt < SpinTuning.GapFactor * Costs.Linger)
        {
            AddCredit(SpinTuning.GapCredit);
        }
    }

    private void ReturnToWork()
    {
        BeginLooking();
        _next = static worker => worker.Refill();
    }

    private void AddCredit(int change) => _credit = Math.Clamp(_credit + change, 0, SpinTuning.MostCredit);
}
