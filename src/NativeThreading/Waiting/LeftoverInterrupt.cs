namespace NativeThreading.Waiting;

/// <summary>
/// When an idle worker drops an interrupt that its items may have left (T137). To ask for one is a wait of the runtime, through code and
/// locks that nothing else of a hand-over needs: where items are rare, and caches cold, it was a third of what a hand-over cost the worker.
/// </summary>
/// <remarks>
/// Whoever interrupts an item has waited for it. So a worker asks where it has run for a while, and now and then where it has not.
/// No wait of the library depends on it: all of them absorb an interrupt. What a leftover can reach is a wait of a later item.
/// Used by the worker's own thread only.
/// </remarks>
internal struct LeftoverInterrupt
{
    private long _runsSince; // the start of the machine, until the worker has parked once: a new worker asks
    private int _shortRuns;

    public LeftoverInterrupt()
    {
    }

    /// <summary>The worker was woken, and begins to run items.</summary>
    public void NoteRun(long now) => _runsSince = now;

    /// <summary>The worker has nothing more to run; <see langword="true"/>: an interrupt was dropped.</summary>
    public bool DropIfDue(long now)
    {
        if (now - _runsSince < WorkerTuning.ShortRun && ++_shortRuns < WorkerTuning.MostRunsBetweenDrops)
        {
            return false;
        }

        _shortRuns = 0;
        return Interruption.Drop();
    }
}
