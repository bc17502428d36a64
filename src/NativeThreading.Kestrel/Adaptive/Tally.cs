using System.Diagnostics;

namespace NativeThreading.Kestrel.Adaptive;

/// <summary>
/// The time that the measured pieces of code have taken on this thread so far. Endpoints run inside other code, and their time must not be
/// attributed to that code. Used only by its own thread.
/// </summary>
internal sealed class Tally
{
    [ThreadStatic]
    private static Tally? t_current;

    private long _sampled, _processorThen;
    private TimeSpan _pausesThen;

    public static Tally Current => t_current ??= new Tally();

    /// <summary>The wall-clock time of measured pieces, in nanoseconds.</summary>
    public long Wall { get; set; }

    /// <summary>The part of that time that was spent on a processor, in nanoseconds; an upper bound.</summary>
    public long Processor { get; set; }

    /// <summary>Whether the takeover of this thread's loop has been attributed to a piece. Code that runs on the thread afterwards holds up no
    /// loop.</summary>
    public bool IsBlamed { get; set; }

    /// <summary>Called when a piece starts. Reads the thread's processor time, at most once a millisecond.</summary>
    /// <returns>The time of the start.</returns>
    public long Begin()
    {
        long now = Stopwatch.GetTimestamp();
        if (now - _sampled < Learning.Short)
        {
            return now;
        }

        (_processorThen, _pausesThen) = (ThreadTime.Processor, GC.GetTotalPauseDuration());
        return _sampled = Stopwatch.GetTimestamp();
    }

    /// <summary>
    /// A lower bound of the processor time that a piece has used, at most a millisecond too low. It excludes nested pieces and the pauses of
    /// the garbage collector, because the thread of the piece may have run the collection.
    /// </summary>
    /// <param name="begun">The result of <see cref="Begin"/>.</param>
    /// <param name="nested">The value of <see cref="Processor"/> at that time.</param>
    public long ComputedSince(long begun, long nested)
    {
        long paused = (GC.GetTotalPauseDuration() - _pausesThen).Ticks * TimeSpan.NanosecondsPerTick;
        return ThreadTime.Processor - _processorThen - paused - Math.Max(0, begun - _sampled) - (Processor - nested);
    }

    /// <summary>The reason why a piece has lost its loop.</summary>
    /// <param name="computed">The processor time that it has used; it may be a millisecond more.</param>
    public static Verdict LostTheLoop(long computed) => computed >= Learning.VeryLong - Learning.Short ? Verdict.HoldsUp : Verdict.Blocks;

    /// <summary>Attributes the takeover to the piece that completes now, if the thread has lost the loop that it was driving.</summary>
    public bool TryBlame()
    {
        if (IsBlamed || EventLoop.Current is not null)
        {
            return false;
        }

        return IsBlamed = true;
    }
}
