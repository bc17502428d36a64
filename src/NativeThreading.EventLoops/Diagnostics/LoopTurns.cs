using System.Diagnostics;
using NativeThreading.Tracing;
using NativeThreading.Platform;

namespace NativeThreading.EventLoops.Diagnostics;

/// <summary>The turns of one loop while an observer or a listener of its instruments exists. The loop's thread writes; each observer reads its own
/// counts. Times are in ticks of <see cref="Stopwatch"/>.</summary>
internal sealed class LoopTurns
{
    /// <summary>In place of a start time: the loop sleeps.</summary>
    private const long Asleep = 0;

    /// <summary>In place of a start time: the running turn started without an observer, so the clock was not read.</summary>
    private const long Untimed = -1;

    private readonly UninterruptedLock _lock = new();
    private readonly Dictionary<object, Seen> _observers = []; // under the lock
    private long _count;
    private long _busy;
    private long _longest;
    private long _began = Untimed; // the start of the running turn, or one of the two values above

    /// <summary>The number of timed turns that have ended.</summary>
    public long Count => Volatile.Read(ref _count);

    public long Busy => Volatile.Read(ref _busy);

    /// <summary>Called by the loop's thread when it has woken.</summary>
    public void Begin(bool isTimed) => Volatile.Write(ref _began, isTimed ? Stopwatch.GetTimestamp() : Untimed);

    /// <summary>Called by the loop's thread before it sleeps.</summary>
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

    /// <summary>The turns since the last sample of this observer, and the running turn.</summary>
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

    /// <summary>An untimed turn counts from the creation of the first observer; without an observer it does not count.</summary>
    private static long SinceWhen(long began) => began == Untimed ? Observation.Beginning : began;

    /// <summary>The last sample of an observer, and the longest turn since then.</summary>
    private readonly record struct Seen(long Count, long Busy, long Time, long Longest)
    {
        public Seen Including(long turn) => turn > Longest ? this with { Longest = turn } : this;
    }
}

/// <summary>The sample of a loop's turns for one observer: since its last sample the number of turns, their total time, the elapsed time and the
/// longest turn; and how long the current turn has been running. The running turn is included.</summary>
internal readonly record struct ObservedTurns(long Count, long Busy, long Elapsed, long Longest, long Running);
