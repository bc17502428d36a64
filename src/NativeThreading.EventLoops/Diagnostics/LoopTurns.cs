using System.Diagnostics;
using NativeThreading.Tracing;
using NativeThreading.Platform;

namespace NativeThreading.EventLoops.Diagnostics;

/// <summary>The turns of one loop while an observer or a listener of its instruments exists. The loop's thread writes; observers
/// read, each for itself. Times are in ticks of <see cref="Stopwatch"/>.</summary>
internal sealed class LoopTurns
{
    /// <summary>In place of a beginning: the loop sleeps.</summary>
    private const long Asleep = 0;

    /// <summary>In place of a beginning: the running turn started without an observer, so no clock was read.</summary>
    private const long Untimed = -1;

    private readonly UninterruptedLock _lock = new();
    private readonly Dictionary<object, Seen> _observers = []; // under the lock
    private long _count;
    private long _busy;
    private long _longest;
    private long _began = Untimed; // of the turn that runs, or one of the two above

    /// <summary>Turns that have ended and were timed.</summary>
    public long Count => Volatile.Read(ref _count);

    public long Busy => Volatile.Read(ref _busy);

    /// <summary>By the loop's thread: it is awake.</summary>
    public void Begin(bool isTimed) => Volatile.Write(ref _began, isTimed ? Stopwatch.GetTimestamp() : Untimed);

    /// <summary>By the loop's thread: it is about to sleep.</summary>
    public void End()
    {
        long began = SinceWhen(_began);
        Volatile.Write(ref _began, Asleep);
        if (began == Asleep)
        {
            return;
        }

        long duration = Stopwatch.GetTimestamp() - began;
        Volatile.Write(ref _count, _count + 1);
        Volatile.Write(ref _busy, _busy + duration);
        if (duration > Volatile.Read(ref _longest))
        {
            Interlocked.Exchange(ref _longest, duration);
        }
    }

    /// <summary>The turns since this observer looked last, and the one that runs.</summary>
    public ObservedTurns Look(object observer, long now)
    {
        long began = SinceWhen(Volatile.Read(ref _began));
        long running = began != Asleep ? Math.Max(0, now - began) : 0;
        using var held = _lock.EnterScope();
        long longest = Interlocked.Exchange(ref _longest, 0);
        foreach (object other in (object[])[.. _observers.Keys])
        {
            _observers[other] = _observers[other].Including(longest);
        }

        var seen = new Seen(Count, Busy + running, now, Longest: 0);
        Seen before = _observers.TryGetValue(observer, out Seen last) ? last : seen with { Longest = longest };
        _observers[observer] = seen;
        return new ObservedTurns(
            seen.Count - before.Count, seen.Busy - before.Busy, now - before.Time, Math.Max(before.Longest, running), running);
    }

    public void Forget(object observer)
    {
        using var held = _lock.EnterScope();
        _observers.Remove(observer);
    }

    /// <summary>An untimed turn counts from the moment at which the first observer came; without an observer it does not count.</summary>
    private static long SinceWhen(long began) => began == Untimed ? Observation.Beginning : began;

    /// <summary>What an observer saw when it looked last, and the longest turn since then.</summary>
    private readonly record struct Seen(long Count, long Busy, long Time, long Longest)
    {
        public Seen Including(long turn) => turn > Longest ? this with { Longest = turn } : this;
    }
}

/// <summary>What an observer learns of a loop's turns: since it looked last their number, what they took, the time that has passed and the longest of
/// them; and for how long the one that runs has been running. The running one is included.</summary>
internal readonly record struct ObservedTurns(long Count, long Busy, long Elapsed, long Longest, long Running);
