using System.Diagnostics;
using NativeThreading.Platform;

namespace NativeThreading.Scheduling;

/// <summary>
/// Whether a worker of this pool may linger: only if lingering recently paid off, one worker per pool, and one per process.
/// </summary>
internal sealed class LingerPolicy
{
    private readonly long? _chosen; // by the pool's options
    private LingerCredit _credit = new();

    public LingerPolicy(TimeSpan? lingerTime)
    {
        if (lingerTime is { } time)
        {
            _chosen = LingerBudget.UsableProcessors > 1 ? SpinTuning.Ticks(time.Ticks * TimeSpan.NanosecondsPerTick) : 0;
        }
    }

    /// <summary>How long to linger, in ticks of <see cref="Stopwatch"/>.</summary>
    public long Duration => _chosen ?? LingerBudget.Duration;

    /// <summary>Whether a worker yields once where another one would linger: the threads share the time of one processor, and the options leave it to
    /// the pool.</summary>
    public bool Yields => _chosen is null && LingerBudget.Duration == 0;

    /// <summary>Takes a share of the process's linger budget and registers with the pool's signal.</summary>
    public bool TryBegin(WorkerSignal signal)
    {
        if (Duration == 0 || !_credit.Any || !LingerBudget.TryTake(LingerKind.IdleWorker))
        {
            return false;
        }

        if (signal.TryBeginLinger())
        {
            return true;
        }

        LingerBudget.Return(LingerKind.IdleWorker);
        return false;
    }

    /// <summary>Deregisters and returns the share; an idle pool whose lingering was without result soon stops it.</summary>
    public void End(WorkerSignal signal, bool found)
    {
        signal.EndLinger();
        LingerBudget.Return(LingerKind.IdleWorker);
        _credit.NoteLinger(found);
    }

    /// <summary>Records how long a worker was parked before a producer woke it.</summary>
    public void NoteGap(long parked) => _credit.NoteGap(parked, Duration);
}
