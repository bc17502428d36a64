using NativeThreading.Tuning;

namespace NativeThreading.Simulation;

/// <summary>What a worker does that finds no work: it lingers, looks, announces itself, looks again, parks. As Worker.WaitForWork.</summary>
internal sealed class SimulatedIdle(SimulatedWorker worker)
{
    private const int WorkersPerStep = 8;
    private const int FewWorkers = 8;
    private const int PollsPerStep = 5;
    private const long LingerTime = 25_000;
    private const long FirstNextLook = 50_000;
    private const long LastNextLook = 1_000_000;
    private const long TimeBetweenLooksAtOthers = 1_000;

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

    private SimulatedPool Pool => worker.Pool;

    /// <summary>Was popped from the stack: woken if it sleeps, else it will notice before it does.</summary>
    public void Choose(Agent producer)
    {
        _isChosen = true;
        if (IsAsleep)
        {
            worker.Phase = Phase.Woken;
            worker.PlanAt(producer.Now + producer.Costs.WakeLatency);
            producer.Charge(LineKind.Wake, producer.Costs.Wake);
        }
    }

    /// <summary>Not parked at the beginning.</summary>
    public void Start()
    {
        IsAsleep = false;
        worker.Phase = Phase.Refill;
    }

    public void Begin()
    {
        worker.Order.NoteIdle();
        if (worker.Completed == _completedBefore)
        {
            worker.EndLooking();
            worker.Spend(worker.Costs.Yield);
            worker.BeginLooking();
        }

        _completedBefore = worker.Completed;
        _nextLook = FirstNextLook;
        if (_credit > 0 && Pool.Signal.TryBeginLinger(worker))
        {
            worker.Count(Counted.Linger);
            (_lingerEnd, _lookAtOthers) = (worker.Now + LingerTime, 0);
            worker.Phase = Phase.Linger;
        }
        else
        {
            BeginLook();
        }
    }

    /// <summary>Some polls.</summary>
    public void Linger()
    {
        bool found = Pool.LooksNonEmpty(worker);
        if (!found && worker.Now >= _lookAtOthers)
        {
            found = worker.Scan.MayOthersHold(announced: 0) && DoOthersHaveWork();
            _lookAtOthers = worker.Now + TimeBetweenLooksAtOthers;
        }

        if (!found && worker.Now < _lingerEnd)
        {
            worker.Spend(PollsPerStep * worker.Costs.Poll);
            return;
        }

        Pool.Signal.EndLinger(worker);
        _credit = Math.Clamp(_credit + (found ? 1 : -1), 0, SpinTuning.MostCredit);
        if (found)
        {
            ReturnToWork();
        }
        else
        {
            BeginLook();
        }
    }

    /// <summary>A part of a look.</summary>
    public void Look()
    {
        if (_looked == 0 && (worker.Queues.Pending != 0 || Pool.LooksNonEmpty(worker)))
        {
            EndLook(Finding.Work);
            return;
        }

        Pool.Signal.Word.Read(worker);
        if (!worker.Scan.MayOthersHold(_isAnnounced ? 1 : 0))
        {
            EndLook(Finding.Nothing);
            return;
        }

        // The look behind an announcement misses nobody, whatever is mended.
        bool isPart = !_isAnnounced && Pool.Mending.HasFlag(Mending.FewLooks);
        int all = isPart ? Math.Min(FewWorkers, Pool.Workers.Length) : Pool.Workers.Length;
        for (int step = 0; step < WorkersPerStep && _looked < all && _found != Finding.Work; step++, _looked++)
        {
            SimulatedWorker other = Pool.Workers[(_firstLookedAt + _looked) % Pool.Workers.Length];
            Finding there = other == worker ? Finding.Nothing : worker.Scan.LookAt(other);
            _found = there > _found ? there : _found;
        }

        if (_found == Finding.Work || _looked == all)
        {
            EndLook(_found);
        }
    }

    /// <summary>The sentinel's time is over.</summary>
    public void LookFromPark()
    {
        IsAsleep = false;
        _nextLook = Math.Min(2 * _nextLook, LastNextLook);
        EndAnnouncement(Counted.ParkTimeout);
        BeginLook();
    }

    public void WakeUp()
    {
        IsAsleep = _isChosen = _isAnnounced = false;
        worker.BeginLooking();
        Pool.Signal.Acknowledge(worker);
        if (worker.Now - _parkedAt < SpinTuning.GapFactor * LingerTime)
        {
            _credit = Math.Min(_credit + SpinTuning.GapCredit, SpinTuning.MostCredit);
        }

        worker.Phase = Phase.Refill;
    }

    private bool DoOthersHaveWork()
    {
        foreach (SimulatedWorker other in Pool.Workers)
        {
            if (other != worker && worker.Scan.LookAt(other) == Finding.Work)
            {
                return true;
            }
        }

        return false;
    }

    private void BeginLook()
    {
        (_found, _looked, worker.Phase) = (Finding.Nothing, 0, Phase.Look);
        _firstLookedAt += FewWorkers;
    }

    private void EndLook(Finding found)
    {
        if (_isAnnounced)
        {
            EndAnnouncedLook(found);
        }
        else if (found == Finding.Work)
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
        _isSentinel = found == Finding.Lone && Pool.Signal.TryAnnounce(worker, asSentinel: true);
        if (!_isSentinel)
        {
            Pool.Signal.TryAnnounce(worker, asSentinel: false);
        }

        _isAnnounced = true;
        worker.EndLooking();
        if (Pool.Signal.IdleCount < Pool.Workers.Length && !_isSentinel)
        {
            worker.PassBarrier(Counted.ParkBarrier);
        }

        BeginLook();
    }

    private void EndAnnouncedLook(Finding found)
    {
        if (found < Finding.Lone || (found == Finding.Lone && (_isSentinel || Pool.Signal.Sentinel is not null)))
        {
            Park();
            return;
        }

        worker.BeginLooking();
        EndAnnouncement(Counted.Withdraw);
        switch (found)
        {
            case Finding.Work:
                ReturnToWork();
                break;
            default:
                Announce(found);
                break;
        }
    }

    private void EndAnnouncement(Counted what)
    {
        _isAnnounced = false;
        if (!Pool.Signal.TryWithdraw(worker, what))
        {
            _isChosen = false;
            Pool.Signal.Acknowledge(worker);
        }
    }

    private void Park()
    {
        worker.Count(Counted.Park);
        _parkedAt = worker.Now;
        if (_isChosen)
        {
            WakeUp();
            return;
        }

        IsAsleep = true;
        worker.Phase = Phase.Parked;
        if (_isSentinel)
        {
            worker.PlanAt(worker.Now + _nextLook);
        }
    }

    private void ReturnToWork()
    {
        worker.BeginLooking();
        worker.Phase = Phase.Refill;
    }
}
