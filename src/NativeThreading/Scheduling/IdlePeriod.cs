namespace NativeThreading.Scheduling;

/// <summary>One idle period of a worker, from its last item to its next one or to its end: for how long it parks at a time, and why.</summary>
internal struct IdlePeriod(long since)
{
    private TimeSpan _nextLook = WorkerTuning.FirstSentinelLook;
    private bool _hasLookedLate;

    public readonly long Since => since;

    /// <summary>Whether it is announced as the sentinel: the one worker that rechecks a lone item of another worker within a bounded time.</summary>
    public bool IsSentinel { get; set; }

    /// <summary>Whether other workers were running after it had announced itself.</summary>
    public bool OthersRun { get; set; }

    // The last worker to park scans once more after a while, before it parks without a limit. Otherwise a lost request would be
    // detected only when the next item comes.
    private readonly bool LooksLate => !IsSentinel && !OthersRun && !_hasLookedLate;

    /// <summary>For how long the worker parks next.</summary>
    /// <param name="remaining">What is left of its idle time.</param>
    public readonly TimeSpan NextTimeout(TimeSpan remaining)
    {
        TimeSpan look = IsSentinel ? _nextLook : LooksLate ? StarvationTuning.RequestExpiry : Timeout.InfiniteTimeSpan;
        return look != Timeout.InfiniteTimeSpan && (remaining == Timeout.InfiniteTimeSpan || remaining > look) ? look : remaining;
    }

    /// <summary>The time was up. Returns whether this was the late scan: the caller then has the monitor watch a request that is late.</summary>
    public bool NoteTimeout()
    {
        if (IsSentinel)
        {
            _nextLook = _nextLook * 2 < WorkerTuning.LastSentinelLook ? _nextLook * 2 : WorkerTuning.LastSentinelLook;
            return false;
        }

        bool looksLate = LooksLate;
        _hasLookedLate |= looksLate;
        return looksLate;
    }
}
