using System.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Scheduling;

namespace NativeThreading.Starvation;

/// <summary>What the monitor knows about one worker or one driver of a loop, and for how long that thread has certainly been blocked. Used only by
/// the monitor's thread.</summary>
internal sealed class Evidence(IWatched watched)
{
    private long _look;
    private long _completed;
    private int _parks;
    private long _cpu;
    private long _cpuAtBegin;
    private TimeSpan _pausesAtBegin;
    private long _used;
    private TimeSpan _blocked;
    private ShortWaits _shortWaits;
    private bool _waitsShortly;
    private bool _endedItems;
    private int _busyLooks;
    private int _runningLooks;
    private long _since;

    /// <summary>The result of a sample.</summary>
    public enum State
    {
        /// <summary>The previous sample did not include this worker, so nothing is known yet.</summary>
        New,

        /// <summary>Since the last sample the worker has completed items or parked, or it is parked now.</summary>
        Moved,

        /// <summary>The worker is running its item, is waiting for a processor, or is stopped by a signal or a debugger.</summary>
        Runs,

        /// <summary>Since the last sample the worker has only waited.</summary>
        Waits,
    }

    public IWatched Watched => watched;

    /// <summary>The positive errno with which reading run states failed, or 0.</summary>
    public int Refusal { get; private set; }

    /// <summary>Samples the worker. Cheap signs come first, so the run state of a worker that completes items is never read.</summary>
    public State Look(long look)
    {
        ThreadProbe? probe = watched.Probe;
        int parks = watched.Parks;
        long completed = watched.CompletedCount;
        bool known = _look == look - 1 && watched.HasThread; // a thread that has not started yet shows nothing
        _endedItems = completed != _completed;
        bool moved = _endedItems || parks != _parks || Blocking.IsParked(parks);
        (_look, _completed, _parks) = (look, completed, parks);
        if (!known || moved)
        {
            _cpu = _cpuAtBegin = Cpu(probe);
            _pausesAtBegin = GC.GetTotalPauseDuration();
            _blocked = TimeSpan.Zero;
            _shortWaits.Forget();
            _busyLooks = 0;
            return known ? State.Moved : State.New;
        }

        long cpu = Cpu(probe);
        _used = cpu - _cpu;
        if (_used != 0)
        {
            _cpu = cpu;
            _blocked = TimeSpan.Zero;
            return State.Runs;
        }

        // A thread cannot start a wait without running. So a thread that waits now and has used no CPU time since the last
        // sample has waited throughout. Either sign alone is wrong too often (T82). The CPU time is read again after the state, because
        // between the two reads this thread may have lost its processor, while the worker ran and started to wait.
        int state = probe is null ? -NativeCore.NoMemory : probe.State;
        Chaos.Point("Evidence.Look, state read");
        Refusal = state < 0 && state != RunState.Ended ? -state : 0;
        _used = Cpu(probe) - cpu;
        if (_used != 0 || (Refusal == 0 && state != RunState.Waiting))
        {
            _cpu += _used;
            _blocked = TimeSpan.Zero;
            return State.Runs;
        }

        if (watched.Parks != parks)
        {
            // The worker was about to park (T84), and it is unknown since when.
            _look = 0;
            return State.Moved;
        }

        return State.Waits;
    }

    /// <summary>Called after <see cref="State.Waits"/>: adds the time since the last sample. Returns whether the uninterrupted wait is long enough
    /// to count as blocked. A long time between two samples proves nothing by itself: meanwhile the host may have taken the processors away,
    /// and with them the end of a short sleep.</summary>
    public bool ProveWait(TimeSpan time)
    {
        // An estimate describes only this moment, however long ago the last sample was. Samples cannot show that consecutive waits were one wait.
        TimeSpan most = ThreadProbe.Estimates ? StarvationTuning.Soon : StarvationTuning.MostOfOneLook;
        _blocked += time < most ? time : most;
        _waitsShortly = ThreadProbe.Estimates;
        (_since, _runningLooks) = (Stopwatch.GetTimestamp(), 0);
        return _blocked >= (Refusal == 0 ? ThreadProbe.Estimates ? StarvationTuning.ProofByEstimate : StarvationTuning.Proof : _cpu >= 0 ? StarvationTuning.ProofWithoutState : StarvationTuning.ProofWithoutCpu);
    }

    /// <summary>Called after <see cref="State.Runs"/>, or after <see cref="State.Waits"/> without a proof: whether the worker has spent most of
    /// a longer time in short waits.</summary>
    public bool ProveShortWaits(PauseFreeClock clock)
    {
        _waitsShortly = watched.Probe is { } probe && _shortWaits.Add(probe, _cpu, _used, clock);
        (_since, _runningLooks) = (Stopwatch.GetTimestamp(), 0);
        return _waitsShortly;
    }

    /// <summary>Valid after <see cref="State.Moved"/>: whether the worker has completed items. If not, it has only parked.</summary>
    public bool HasEndedItems => _endedItems;

    /// <summary>Called after <see cref="State.Runs"/>: whether the worker computes. That takes two consecutive samples, because a thread that
    /// has just started runs a little before it waits. With estimated times the answer is always no: a thread that waits for a processor, or is
    /// in native code, appears the same.</summary>
    public bool Computes(TimeSpan time)
    {
        _busyLooks = ThreadProbe.Estimates || ShortWaits.IsLittle(_used, time) ? 0 : _busyLooks + 1;
        return _busyLooks >= 2;
    }

    /// <summary>The processor time that the item has used since a sample saw it first. The pauses of the garbage collector are left out, because this
    /// thread may have collected.</summary>
    public TimeSpan Used => TimeSpan.FromTicks((_cpu - _cpuAtBegin) / TimeSpan.NanosecondsPerTick) - (GC.GetTotalPauseDuration() - _pausesAtBegin);

    /// <summary>Whether a worker that was proven blocked runs again.</summary>
    public bool RunsAgain()
    {
        // A worker that has parked since then is no longer in an item, and may have been marked when it was already in none (T150). Pairs
        // with Blocking.BeginPark.
        if (watched.CompletedCount != _completed || watched.Parks != _parks)
        {
            return true;
        }

        if (watched.Probe is not { } probe || (ThreadProbe.Estimates && Refusal != 0))
        {
            return false; // in native code, a thread that computes again cannot be distinguished from one that still waits
        }

        long used = probe.Cpu - _cpu;
        if (_waitsShortly)
        {
            return HasStoppedWaiting(probe, used);
        }

        // A little CPU time proves nothing: it may be a read of the clock, or a spurious wake-up before the next wait.
        _cpu += used;
        return used != 0 && probe.State == RunState.Runnable;
    }

    /// <summary>A worker in short waits may be running at every sample. So it counts as running again only after it has used half
    /// the time of a proof, and a fair share of the elapsed time, and no sample has found it waiting.</summary>
    private bool HasStoppedWaiting(ThreadProbe probe, long used)
    {
        long now = Stopwatch.GetTimestamp();
        if (ShortWaits.IsLittle(used, Stopwatch.GetElapsedTime(_since, now)) || probe.State != RunState.Runnable)
        {
            (_cpu, _since, _runningLooks) = (_cpu + used, now, 0);
            return false;
        }

        // An estimate assumes that a thread that runs at two samples also ran in between, however long that was.
        return ++_runningLooks >= (ThreadProbe.Estimates ? StarvationTuning.RunningByEstimate : 1)
            && 2 * used >= StarvationTuning.ProofOfShortWaits.Ticks * TimeSpan.NanosecondsPerTick;
    }

    private static long Cpu(ThreadProbe? probe) => probe?.Cpu ?? -NativeCore.NoMemory;
}
