using System.Diagnostics;

namespace NativeThreading.AspNetCore.Adaptive;

/// <summary>
/// A piece of code that is watched closely: what runs between two awaits, which is what a loop is held up by. Costs a microsecond, so it
/// is for code that is not proven yet, and for what has become suspicious.
/// </summary>
internal readonly struct Piece
{
    private readonly long _begun, _processor, _sleeps, _nestedWall, _nestedProcessor;
    private readonly TimeSpan _pauses;
    private readonly bool _isOnLoop;

    private Piece(Tally tally)
    {
        (_nestedWall, _nestedProcessor) = (tally.Wall, tally.Processor);
        _isOnLoop = EventLoop.Current is not null;
        _pauses = GC.GetTotalPauseDuration();
        _sleeps = ThreadTime.Sleeps;
        _processor = ThreadTime.Processor;
        _begun = Stopwatch.GetTimestamp();
    }

    public static Piece Begin() => new(Tally.Current);

    /// <summary>On the same thread, once.</summary>
    public Verdict End()
    {
        var tally = Tally.Current;
        long wall = Stopwatch.GetTimestamp() - _begun - (tally.Wall - _nestedWall);
        long processor = ThreadTime.Processor - _processor; // also what others took inside: so it errs in favour of the piece
        long own = Math.Max(0, processor - (tally.Processor - _nestedProcessor));
        tally.Wall += wall;
        tally.Processor += own;
        if (_isOnLoop && tally.TryBlame())
        {
            return Verdict.Blocks;
        }

        if (wall < Learning.Short)
        {
            return Verdict.Short;
        }

        long paused = (GC.GetTotalPauseDuration() - _pauses).Ticks * TimeSpan.NanosecondsPerTick; // by the collector, which is nobody's fault
        return wall - paused < Learning.Short ? Verdict.Unknown
            : own - paused >= Learning.Short ? Verdict.Computes
            : wall - processor - paused < Learning.Short ? Verdict.Unknown
            : ThreadTime.Sleeps == _sleeps ? Verdict.Short // it only lacked a processor
            : Verdict.Waits;
    }
}
