using System.Diagnostics;

namespace NativeThreading.Starvation;

/// <summary>The time between two samples that counts against a worker. The pauses of the garbage collector do not count, because all
/// workers stand still in them (T83). Time that the monitor overslept does not count, because the whole process may have been stopped. Pauses are
/// subtracted, but the interval is kept: with 300 collections a second every interval contains a pause.</summary>
internal sealed class PauseFreeClock
{
    private long _began;
    private long _lastBegan;
    private TimeSpan _pausesAtLastBegin;
    private TimeSpan _pausesAtBegin;
    private TimeSpan _longest;

    /// <summary>Starts a round of samples that was planned for <paramref name="planned"/> after the previous one. After a sleep without a timeout no
    /// round was planned, and no time counts.</summary>
    public void Begin(TimeSpan planned)
    {
        _lastBegan = _began;
        _pausesAtLastBegin = _pausesAtBegin;
        _pausesAtBegin = GC.GetTotalPauseDuration();
        _began = Stopwatch.GetTimestamp();
        _longest = planned < TimeSpan.Zero ? TimeSpan.Zero : planned + StarvationTuning.OversleepTolerance;
    }

    /// <summary>When the previous round of samples started.</summary>
    public long LastBegan => _lastBegan;

    /// <summary>The time from the previous sample to this one. Read it after the samples: a pause that started during them is subtracted.</summary>
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
