using System.Diagnostics;
using NativeThreading.Interop;

namespace NativeThreading.Workers;

/// <summary>
/// Whether a worker of this pool may linger: only where it recently paid, only one per pool, only one per process.
/// </summary>
internal sealed class LingerPolicy
{
    private const int MostCredit = 8;

    // Races between workers lose an update now and then, which is harmless: the credit is an estimate.
    private int _credit = MostCredit / 2;

    public LingerPolicy(TimeSpan? lingerTime)
    {
        long nanoseconds = lingerTime is { } time
            ? (NativeMethods.nth_usable_cpus() > 1 ? time.Ticks * TimeSpan.NanosecondsPerTick : 0)
            : NativeMethods.nth_wake_latency_ns();
        Duration = (long)(nanoseconds * (Stopwatch.Frequency / 1e9));
    }

    /// <summary>How long to linger, in ticks of <see cref="Stopwatch"/>.</summary>
    public long Duration { get; }

    /// <summary>Takes a place in the process's budget and registers with the pool's signal.</summary>
    public bool TryBegin(WorkerSignal signal)
    {
        if (Duration == 0 || _credit <= 0 || NativeMethods.nth_linger_acquire((int)LingerKind.IdleWorker) == 0)
        {
            return false;
        }

        if (signal.TryBeginLinger())
        {
            return true;
        }

        NativeMethods.nth_linger_release((int)LingerKind.IdleWorker);
        return false;
    }

    /// <summary>Deregisters and returns the place; an idle pool whose lingering was in vain soon stops it.</summary>
    public void End(WorkerSignal signal, bool found)
    {
        signal.EndLinger();
        NativeMethods.nth_linger_release((int)LingerKind.IdleWorker);
        int credit = _credit + (found ? 1 : -1);
        _credit = Math.Clamp(credit, 0, MostCredit);
    }

    /// <summary>
    /// Tells how long a worker was parked before it was wanted: arrivals closer together than the time to linger earn
    /// it back, sparser ones do not.
    /// </summary>
    public void NoteGap(long parked)
    {
        if (parked < 2 * Duration)
        {
            _credit = Math.Min(_credit + 2, MostCredit);
        }
    }
}
