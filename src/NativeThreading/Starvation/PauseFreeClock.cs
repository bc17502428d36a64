using System.Diagnostics;

namespace NativeThreading.Starvation;

/// <summary>
/// The time between two looks that can count against a worker: without the pauses of the garbage collector, in which all
/// workers stand still at once (T83), and without what the monitor overslept, for the whole process may have been
/// stopped meanwhile. Pauses are subtracted instead of dropping the window: with 300 collections a second every window
/// holds one.
/// </summary>
internal sealed class PauseFreeClock
{
    private long _began;
    private long _lastBegan;
    private TimeSpan _pausesAtLastBegin;
    private TimeSpan _pausesAtBegin;
    private TimeSpan _longest;

    /// <summary>Begins a round of looks, which was planned for this long after the previous one.</summary>
    public void Begin(TimeSpan planned)
    {
        _lastBegan = _began;
        _pausesAtLastBegin = _pausesAtBegin;
        _pausesAtBegin = GC.GetTotalPauseDuration();
        _began = Stopwatch.GetTimestamp();
        _longest = planned + StarvationTuning.OversleepTolerance;
    }

    /// <summary>
    /// The time from the previous look to this one. Asked for after the threads were looked at, so that a pause that
    /// began among the looks is in it.
    /// </summary>
    public TimeSpan Elapsed
    {
        get
        {
            TimeSpan pauses = GC.GetTotalPauseDuration() - _pausesAtLastBegin;
            TimeSpan elapsed = Stopwatch.GetElapsedTime(_lastBegan, _began) - pauses;
            return elapsed < TimeSpan.Zero ? TimeSpan.Zero : elapsed < _longest ? elapsed : _longest;
        }
    }
}
