using System.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Scheduling;

namespace NativeThreading.Diagnostics;

/// <summary>The state of a worker at the last sample of one observer. It keeps neither the worker nor its pool alive.</summary>
internal sealed class WorkerHistory(Worker worker)
{
    private readonly WeakReference<Worker> _worker = new(worker);
    private (WorkerState State, long Completed, long Cpu, long Time)? _last;
    private long? _since;
    private bool _sawBeginning;
    private string? _waitChannel;
    private (long Completed, long Cpu, int Parks)? _waiting; // shortly before the sample, if the worker waited then

    public bool IsOf(Worker other) => _worker.TryGetTarget(out Worker? known) && known == other;

    /// <summary>Called shortly before <see cref="Look"/>. Returns whether the worker waits for an unknown reason. Only another sample can distinguish
    /// it from a worker that is about to run.</summary>
    public bool Waits(Worker worker)
    {
        if (StateOf(worker, hasStood: false) != WorkerState.Running)
        {
            _waiting = null; // known without a system call
            return false;
        }

        // The processor time is read before the state: time that the worker uses between the two reads counts at the next sample (T82).
        (long Completed, long Cpu, int) now = (worker.CompletedCount, worker.Blocking.Probe?.Cpu ?? RunState.Ended, worker.Blocking.Parks);
        if (_last is { State: WorkerState.Blocked } last && (last.Completed, last.Cpu) == (now.Completed, now.Cpu) && now.Cpu >= 0)
        {
            _waiting = null; // it has waited since the last sample, which is longer
            return false;
        }

        bool waits = StateOf(worker, hasStood: false) == WorkerState.Running && worker.Blocking.Probe?.State == RunState.Waiting;
        _waiting = waits ? now : null;
        return waits;
    }

    public WorkerSnapshot Look(Worker worker, long now)
    {
        (object? subject, long began) = worker.Record?.Read() ?? default;
        long completed = worker.CompletedCount;
        bool isIdle = StateOf(worker, hasStood: false) is WorkerState.Parked or WorkerState.InReserve;
        long cpu = isIdle ? RunState.Ended : worker.Blocking.Probe?.Cpu ?? RunState.Ended; // a system call, which most workers do not need
        bool hasStood = _last is { } last && last.Completed == completed && last.Cpu == cpu && cpu >= 0;
        bool waits = _waiting is { } waiting && waiting == (completed, cpu, worker.Blocking.Parks) && cpu >= 0;
        WorkerState state = StateOf(worker, hasStood || waits);
        if (_last is { } before && (before.State != state || !IsSame(state, hasStood, before.Completed == completed)))
        {
            _since = hasStood ? before.Time : now; // it has not moved since the last sample, which could not yet know the state
            _sawBeginning = !hasStood || _sawBeginning;
        }

        if (state is WorkerState.Blocked or WorkerState.InBlockingRegion && worker.Blocking.CountedSince is > 0 and var counted && (_since is null || counted < _since))
        {
            _since = counted; // the pool detected it before this observer did
        }

        // A worker that has not moved still waits in the same place.
        _waitChannel = state is not (WorkerState.Blocked or WorkerState.InBlockingRegion or WorkerState.WaitingForGroup) ? null
            : hasStood && _waitChannel is not null ? _waitChannel
            : worker.Blocking.Probe?.WaitChannel;
        WorkerSnapshot snapshot = new()
        {
            Name = worker.Name,
            IsRescue = worker.IsRescue,
            State = state,
            IsAtLeast = !_sawBeginning,
            InStateFor = _since is { } since ? Stopwatch.GetElapsedTime(since, now) : null,
            Item = subject is null ? null : Item(subject, began, now),
            WaitChannel = _waitChannel,
            CompletedWorkItemCount = completed,
        };
        _since ??= now;
        _last = (state, completed, cpu, now);
        return snapshot;
    }

    /// <summary>Whether a worker that is found in the same state again has been in it all the time. A running worker counts as running all the time,
    /// even with different items.</summary>
    private static bool IsSame(WorkerState state, bool hasStood, bool hasEndedNothing) => state switch
    {
        WorkerState.Blocked => hasStood,
        WorkerState.Running or WorkerState.Starting => true,
        _ => hasEndedNothing,
    };

    /// <summary>The state of a worker.</summary>
    /// <param name="worker">The worker.</param>
    /// <param name="hasStood">Whether it has used no processor time since an earlier sample. If not, no system call is made.</param>
    public static WorkerState StateOf(Worker worker, bool hasStood) =>
        worker.Thread is null ? WorkerState.Starting
        : worker.Blocking.IsInRegion ? WorkerState.InBlockingRegion
        : worker.Blocking.WaitsForGroup ? WorkerState.WaitingForGroup
        : worker.Blocking.IsInReserve ? WorkerState.InReserve
        : Blocking.IsParked(worker.Blocking.Parks) ? WorkerState.Parked
        : worker.Blocking.IsCounted || (hasStood && worker.Blocking.Probe?.State == RunState.Waiting) ? WorkerState.Blocked
        : WorkerState.Running;

    private static RunningItem Item(object subject, long began, long now) =>
        ItemName.Describe(subject, began == 0 ? TimeSpan.Zero : Stopwatch.GetElapsedTime(began, Math.Max(began, now)));
}
