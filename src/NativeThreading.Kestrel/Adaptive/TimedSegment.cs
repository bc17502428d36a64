using System.Diagnostics;

namespace NativeThreading.Kestrel.Adaptive;

/// <summary>What a segment of code has done to its thread.</summary>
internal enum Verdict
{
    Short, // it took less than a millisecond
    Unknown, // it took longer, and the measurement does not show why: a garbage collection may have fallen into it
    Long, // it took longer by the clock, and only the clock was read: the next segments must be watched closely
    Computes, // it computed for a millisecond or more
    Waits, // it slept for a millisecond or more
    Blocks, // it blocked, so that another thread took its loop over
    HoldsUp, // it computed for so long that another thread took its loop over
}

/// <summary>Measures the code between two awaits: a loop is held up for as long as such a segment takes. A close watch asks the system, which costs a
/// microsecond; it is for code that is not proven or has become suspicious. Otherwise only the clock is read, and the processor time after a long
/// segment.</summary>
internal readonly struct TimedSegment
{
    private readonly long _started, _processor, _sleeps, _nestedWall, _nestedProcessor;
    private readonly TimeSpan _pauses;
    private readonly bool _isClose;

    private TimedSegment(ThreadClock clock, bool isClose)
    {
        (_nestedWall, _nestedProcessor) = (clock.Wall, clock.Processor);
        IsOnLoop = EventLoop.Current is not null;
        _isClose = isClose;
        if (isClose)
        {
            _pauses = GC.GetTotalPauseDuration();
            _sleeps = ThreadClock.Sleeps;
            _processor = ThreadClock.ProcessorTime;
        }

        _started = clock.Begin();
    }

    /// <summary>Whether it started on a loop.</summary>
    public bool IsOnLoop { get; }

    public static TimedSegment Begin(bool isClose = true) => new(ThreadClock.Current, isClose);

    /// <summary>Called once, on the same thread.</summary>
    /// <param name="held">How long a segment that was not short has computed or slept, in nanoseconds.</param>
    public Verdict End(out long held)
    {
        var clock = ThreadClock.Current;
        long wall = held = Stopwatch.GetTimestamp() - _started - (clock.Wall - _nestedWall);
        long computed = wall < Learning.Short ? 0 : clock.ComputedSince(_started, _nestedProcessor);
        bool isAsked = _isClose && wall >= Learning.Short; // otherwise it is short, and took at most its time by the clock
        long processor = isAsked ? ThreadClock.ProcessorTime - _processor : wall; // includes nested segments, in favour of this one
        long own = isAsked ? Math.Max(0, processor - (clock.Processor - _nestedProcessor)) : wall;
        clock.Wall += wall;
        clock.Processor += own;
        if (IsOnLoop && clock.TryBlame())
        {
            return computed >= Learning.VeryLong - Learning.Short ? Verdict.HoldsUp : Verdict.Blocks; // the computed time may be a millisecond more
        }

        if (wall < Learning.Short)
        {
            return Verdict.Short;
        }

        if (!_isClose)
        {
            held = computed;
            return computed >= Learning.Short ? Verdict.Computes : Verdict.Long;
        }

        long paused = (GC.GetTotalPauseDuration() - _pauses).Ticks * TimeSpan.NanosecondsPerTick; // by the garbage collector
        return wall - paused < Learning.Short ? Verdict.Unknown
            : own - paused >= Learning.Short ? Verdict.Computes
            : wall - processor - paused < Learning.Short ? Verdict.Unknown
            : ThreadClock.Sleeps == _sleeps ? Verdict.Short // it only waited for a processor
            : Verdict.Waits;
    }
}
