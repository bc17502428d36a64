using System.Diagnostics;

namespace NativeThreading.AspNetCore.Adaptive;

/// <summary>
/// What the judged pieces of code on a thread have taken so far. Endpoints run inside the code around them, which is not to be blamed for
/// what they take. Only for its thread.
/// </summary>
internal sealed class Tally
{
    [ThreadStatic]
    private static Tally? t_current;

    private long _sampled, _processorThen;
    private TimeSpan _pausesThen;

    public static Tally Current => t_current ??= new Tally();

    /// <summary>Nanoseconds in which judged pieces ran.</summary>
    public long Wall { get; set; }

    /// <summary>Of these, at most so many on a processor.</summary>
    public long Processor { get; set; }

    /// <summary>Whether somebody was blamed for that this thread's loop was taken over. What runs there afterwards holds up nobody.</summary>
    public bool IsBlamed { get; set; }

    /// <summary>A piece begins. Asks the system for the thread's processor time, once a millisecond at most.</summary>
    /// <returns>When it begins.</returns>
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
    /// The processor time that a piece has certainly used, and at most a millisecond less than it has: without pieces inside it, and without
    /// the collector's pauses, in which its thread may have been the one that collected.
    /// </summary>
    /// <param name="begun">The result of <see cref="Begin"/>.</param>
    /// <param name="nested">What <see cref="Processor"/> was then.</param>
    public long ComputedSince(long begun, long nested)
    {
        long paused = (GC.GetTotalPauseDuration() - _pausesThen).Ticks * TimeSpan.NanosecondsPerTick;
        return ThreadTime.Processor - _processorThen - paused - Math.Max(0, begun - _sampled) - (Processor - nested);
    }

    /// <summary>Why a piece has lost its loop.</summary>
    /// <param name="computed">What it has computed, which may be a millisecond more.</param>
    public static Verdict LostTheLoop(long computed) => computed >= Learning.VeryLong - Learning.Short ? Verdict.HoldsUp : Verdict.Blocks;

    /// <summary>Whether the piece that ends now has lost the loop that its thread was driving.</summary>
    public bool TryBlame()
    {
        if (IsBlamed || EventLoop.Current is not null)
        {
            return false;
        }

        return IsBlamed = true;
    }
}
