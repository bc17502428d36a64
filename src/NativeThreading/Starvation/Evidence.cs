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
    private long _blocked;

    /// <summary>What a look found.</summary>
    public enum Sight
    {
        /// <summary>Not looked at in the previous look: nothing is known yet.</summary>
        New,

        /// <summary>It has ended items, or parked, since the last look, or is parked now.</summary>
        Moved,

        /// <summary>It runs its item, or would if it had a CPU, or is held by a signal or a debugger.</summary>
        Runs,

        /// <summary>It has done nothing but wait since the last look.</summary>
        Waits,
    }

    /// <summary>Why run states cannot be read, a positive errno, or 0.</summary>
    public int Refusal { get; private set; }

    /// <summary>Whether it has waited for so long that it counts as blocked.</summary>
    public readonly bool IsProven
    {
        get
        {
            TimeSpan needed = Refusal == 0 ? Proof.Time : _cpu >= 0 ? Proof.TimeWithoutState : Proof.TimeWithoutCpu;
            return _blocked >= Proof.Ticks(needed);
        }
    }

    /// <summary>Looks at a worker: cheap signs first, so that one that ends items costs no look at its state.</summary>
    public Sight Look(Worker worker, long look)
    {
        ThreadProbe? probe = worker.Probe;
        int parks = worker.Parks;
        long completed = worker.CompletedCount;
        bool known = _look == look - 1;
        bool moved = completed != _completed || parks != _parks || Worker.IsParked(parks);
        (_look, _completed, _parks) = (look, completed, parks);
        if (!known || moved)
        {
            _cpu = Cpu(probe);
            _blocked = 0;
            return known ? Sight.Moved : Sight.New;
        }

        long cpu = Cpu(probe);
        if (cpu != _cpu)
        {
            _cpu = cpu;
            _blocked = 0;
            return Sight.Runs;
        }

        // A thread can stop to wait without running, but cannot begin to: one that waits now and has not run since the
        // last look has waited all the while. Either sign alone is wrong too often (T82).
        int state = probe is null ? -NativeCore.NoMemory : probe.State;
        Refusal = state < 0 && state != ThreadProbe.Ended ? -state : 0;
        if (Refusal == 0 && state != ThreadProbe.Waiting)
        {
            _blocked = 0;
            return Sight.Runs;
        }

        if (worker.Parks != parks)
        {
            // It was on its way to us (T84), and nobody knows since when.
            _look = 0;
            return Sight.Moved;
        }

        return Sight.Waits;
    }

    /// <summary>After <see cref="Sight.Waits"/>: adds the time since the last look.</summary>
    public void Add(long time) => _blocked += time;

    /// <summary>Whether the worker, which was proven blocked, runs again.</summary>
    public bool RunsAgain(Worker worker)
    {
        long cpu = Cpu(worker.Probe);
        if (cpu == _cpu && worker.CompletedCount == _completed)
        {
            return false;
        }

        // A little CPU time is only a look at the clock or a spurious wake on the way to more waiting.
        _cpu = cpu;
        bool moved = worker.CompletedCount != _completed;
        return moved || worker.Probe is not { } probe || probe.State == ThreadProbe.Runnable;
    }

    private static long Cpu(ThreadProbe? probe) => probe?.Cpu ?? -NativeCore.NoMemory;
}
