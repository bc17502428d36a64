using System.Diagnostics;
using NativeThreading.Interop;
using NativeThreading.Workers;

namespace NativeThreading.Starvation;

/// <summary>
/// What the monitor has seen of one worker: for how long it has certainly been blocked. Used by the monitor's thread
/// only.
/// </summary>
internal struct Evidence
{
    private long _look;
    private long _completed;
    private int _parks;
    private long _cpu;
    private long _used;
    private TimeSpan _blocked;
    private ShortWaits _shortWaits;
    private bool _waitsShortly;
    private bool _endedItems;
    private int _busyLooks;
    private long _since;

    /// <summary>What a look found.</summary>
    public enum State
    {
        /// <summary>Not looked at in the previous look: nothing is known yet.</summary>
        New,

        /// <summary>It has ended items, or parked, since the last look, or is parked now.</summary>
        Moved,

        /// <summary>It has run its item, or would if it had a CPU, or is held by a signal or a debugger.</summary>
        Runs,

        /// <summary>It has done nothing but wait since the last look.</summary>
        Waits,
    }

    /// <summary>Why run states cannot be read, a positive errno, or 0.</summary>
    public int Refusal { get; private set; }

    /// <summary>Looks at a worker: cheap signs first, so that one that ends items costs no look at its state.</summary>
    public State Look(Worker worker, long look)
    {
        ThreadProbe? probe = worker.Blocking.Probe;
        int parks = worker.Blocking.Parks;
        long completed = worker.CompletedCount;
        bool known = _look == look - 1;
        _endedItems = completed != _completed;
        bool moved = _endedItems || parks != _parks || Blocking.IsParked(parks);
        (_look, _completed, _parks) = (look, completed, parks);
        if (!known || moved)
        {
            _cpu = Cpu(probe);
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

        // A thread can stop to wait without running, but cannot begin to: one that waits now and has not run since the
        // last look has waited all the while. Either sign alone is wrong too often (T82). The CPU time is read again behind
        // the state: between the two reads the worker may have run and begun to wait, and this thread lost its processor.
        int state = probe is null ? -NativeCore.NoMemory : probe.State;
        Chaos.Point("Evidence.Look, state read");
        Refusal = state < 0 && state != ThreadProbe.Ended ? -state : 0;
        _used = Cpu(probe) - cpu;
        if (_used != 0 || (Refusal == 0 && state != ThreadProbe.Waiting))
        {
            _cpu += _used;
            _blocked = TimeSpan.Zero;
            return State.Runs;
        }

        if (worker.Blocking.Parks != parks)
        {
            // It was on its way to us (T84), and nobody knows since when.
            _look = 0;
            return State.Moved;
        }

        return State.Waits;
    }

    /// <summary>
    /// After <see cref="State.Waits"/>: adds the time since the last look. Whether it has waited for so long without
    /// interruption that it counts as blocked.
    /// </summary>
    public bool ProveWait(TimeSpan time)
    {
        _blocked += time;
        _waitsShortly = false;
        return _blocked >= (Refusal == 0 ? StarvationTuning.Proof : _cpu >= 0 ? StarvationTuning.ProofWithoutState : StarvationTuning.ProofWithoutCpu);
    }

    /// <summary>
    /// After <see cref="State.Waits"/>, if that proved nothing, and <see cref="State.Runs"/>: whether it has waited for most
    /// of a longer time, by turns.
    /// </summary>
    public bool ProveShortWaits(Worker worker, TimeSpan time)
    {
        _waitsShortly = worker.Blocking.Probe is { } probe && _shortWaits.Add(probe, _cpu, _used, time);
        _since = Stopwatch.GetTimestamp();
        return _waitsShortly;
    }

    /// <summary>After <see cref="State.Moved"/>: whether it has ended items, and not only parked.</summary>
    public readonly bool HasEndedItems => _endedItems;

    /// <summary>
    /// After <see cref="State.Runs"/>: whether it computes. Two looks in a row must have found so, because a thread that has
    /// just begun runs a little before it waits.
    /// </summary>
    public bool Computes(TimeSpan time)
    {
        _busyLooks = ShortWaits.IsLittle(_used, time) ? 0 : _busyLooks + 1;
        return _busyLooks >= 2;
    }

    /// <summary>Whether the worker, which was proven blocked, runs again.</summary>
    public bool RunsAgain(Worker worker)
    {
        if (worker.CompletedCount != _completed)
        {
            return true;
        }

        if (worker.Blocking.Probe is not { } probe)
        {
            return false;
        }

        long used = probe.Cpu - _cpu;
        if (_waitsShortly)
        {
            return HasStoppedWaiting(probe, used);
        }

        // A little CPU time is only a look at the clock or a spurious wake on the way to more waiting.
        _cpu += used;
        return used != 0 && probe.State == ThreadProbe.Runnable;
    }

    /// <summary>
    /// It runs at every turn, and may be found running at each look. So it runs again only when it was never found waiting
    /// while it used half the time of a proof, and a fair share of the time that took.
    /// </summary>
    private bool HasStoppedWaiting(ThreadProbe probe, long used)
    {
        long now = Stopwatch.GetTimestamp();
        if (ShortWaits.IsLittle(used, Stopwatch.GetElapsedTime(_since, now)) || probe.State != ThreadProbe.Runnable)
        {
            (_cpu, _since) = (_cpu + used, now);
            return false;
        }

        return 2 * used >= StarvationTuning.ProofOfShortWaits.Ticks * TimeSpan.NanosecondsPerTick;
    }

    private static long Cpu(ThreadProbe? probe) => probe?.Cpu ?? -NativeCore.NoMemory;
}
