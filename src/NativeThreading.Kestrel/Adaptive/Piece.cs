using System.Diagnostics;

namespace NativeThreading.Kestrel.Adaptive;

/// <summary>
/// A piece of code that is watched: what runs between two awaits, which is what a loop is held up by. A close watch asks the system, which
/// costs a microsecond, so it is for code that is not proven yet, and for what has become suspicious. The other one looks at the clock, and
/// finds out of a long piece only whether it has computed.
/// </summary>
internal readonly struct Piece
{
    private readonly long _begun, _processor, _sleeps, _nestedWall, _nestedProcessor;
    private readonly TimeSpan _pauses;
    private readonly bool _isOnLoop, _isClose;

    private Piece(Tally tally, bool isClose)
    {
        (_nestedWall, _nestedProcessor) = (tally.Wall, tally.Processor);
        _isOnLoop = EventLoop.Current is not null;
        _isClose = isClose;
        if (isClose)
        {
            _pauses = GC.GetTotalPauseDuration();
            _sleeps = ThreadTime.Sleeps;
            _processor = ThreadTime.Processor;
        }

        _begun = tally.Begin();
    }

    public static Piece Begin(bool isClose = true) => new(Tally.Current, isClose);

    /// <summary>On the same thread, once.</summary>
    /// <param name="held">For how long it has held its thread, of a piece that was not short: the time that it computed or slept.</param>
    public Verdict End(out long held)
    {
        var tally = Tally.Current;
        long wall = held = Stopwatch.GetTimestamp() - _begun - (tally.Wall - _nestedWall);
        long computed = wall < Learning.Short ? 0 : tally.ComputedSince(_begun, _nestedProcessor);
        bool isAsked = _isClose && wall >= Learning.Short; // else it is short, and took at most its time by the clock
        long processor = isAsked ? ThreadTime.Processor - _processor : wall; // also what others took inside: so it errs in favour of the piece
        long own = isAsked ? Math.Max(0, processor - (tally.Processor - _nestedProcessor)) : wall;
        tally.Wall += wall;
        tally.Processor += own;
        if (_isOnLoop && tally.TryBlame())
        {
            return Tally.LostTheLoop(computed);
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

        long paused = (GC.GetTotalPauseDuration() - _pauses).Ticks * TimeSpan.NanosecondsPerTick; // by the collector, which is nobody's fault
        return wall - paused < Learning.Short ? Verdict.Unknown
            : own - paused >= Learning.Short ? Verdict.Computes
            : wall - processor - paused < Learning.Short ? Verdict.Unknown
            : ThreadTime.Sleeps == _sleeps ? Verdict.Short // it only lacked a processor
            : Verdict.Waits;
    }
}
