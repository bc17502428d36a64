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
    private int _requestedOn = -1; // the processor of the last request. An estimate: races lose an update, and the runtime may keep the number for some calls

    public LingerPolicy(TimeSpan? lingerTime)
    {
        if (lingerTime is { } time)
        {
            _chosen = LingerBudget.UsableProcessors > 1 ? SpinTuning.Ticks(time.Ticks * TimeSpan.NanosecondsPerTick) : 0;
        }
    }

    /// <summary>How long to linger, in ticks of <see cref="Stopwatch"/>.</summary>
    public long Duration => _chosen ?? LingerBudget.Duration;

    /// <summary>Whether the calling worker yields once instead of polling: all threads share the time of one processor, or the thread that made the
    /// last request was on this processor. Polling would take the processor from the thread that the worker waits for. A worker of a pool whose
    /// options set a linger time always polls.</summary>
    public bool Yields => _chosen is null && (LingerBudget.Duration == 0 || Volatile.Read(ref _requestedOn) == Thread.GetCurrentProcessorId());

    /// <summary>Records the processor of a thread that is about to wake a worker. Called before the wake, because the worker may preempt that
    /// thread at once.</summary>
    public void NoteRequest() => Volatile.Write(ref _requestedOn, Thread.GetCurrentProcessorId());

    /// <summary>Takes a share of the process's linger budget and registers with the pool's signal.</summary>
    /// <param name="signal">The pool's.</param>
    /// <param name="isRegistered">Whether the worker has done the latter before (<see cref="WakeThrottle"/>).</param>
    public bool TryBegin(WorkerSignal signal, bool isRegistered = false)
    {
        if (Duration == 0 || !_credit.Any || !LingerBudget.TryTake(LingerKind.IdleWorker))
        {
            return false;
        }

        if (isRegistered || signal.TryBeginLinger())
        {
            return true;
        }

        LingerBudget.Return(LingerKind.IdleWorker);
        return false;
    }

    /// <summary>Returns the share; an idle pool whose lingering was without result soon stops it.</summary>
    public void End(bool found)
    {
        LingerBudget.Return(LingerKind.IdleWorker);
        _credit.NoteLinger(found);
    }

    /// <summary>Records how long a worker was parked before a producer woke it.</summary>
    public void NoteGap(long parked) => _credit.NoteGap(parked, Duration);
}
