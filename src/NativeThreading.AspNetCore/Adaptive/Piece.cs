using System.Diagnostics;

namespace NativeThreading.AspNetCore.Adaptive;

/// <summary>
/// A piece of code that is watched closely: what runs between two awaits, which is what a loop is held up by. Costs a microsecond, so it
/// is for code that is not proven yet, and for what has become suspicious.
/// </summary>
internal readonly struct Piece
{
    private readonly long _begun, _processor, _sleeps, _nestedWall, _nestedProcessor;
    private readonly int _collections;
    private readonly bool _isOnLoop;

    private Piece(Tally tally)
    {
        (_nestedWall, _nestedProcessor) = (tally.Wall, tally.Processor);
        _isOnLoop = EventLoop.Current is not null;
        _collections = GC.CollectionCount(0);
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
        long processor = ThreadTime.Processor - _processor; // with what others took inside, which sleeps even less
        long own = Math.Max(0, processor - (tally.Processor - _nestedProcessor));
        tally.Wall += wall;
        tally.Processor += own;
        if (_isOnLoop && tally.TryBlame())
        {
            return Verdict.Blocks;
        }

        return wall < Learning.Short ? Verdict.Short
            : GC.CollectionCount(0) != _collections ? Verdict.Unknown
            : own >= Learning.Short ? Verdict.Computes
            : wall - processor < Learning.Short ? Verdict.Unknown
            : ThreadTime.Sleeps == _sleeps ? Verdict.Short // it only lacked a processor
            : Verdict.Waits;
    }
}
