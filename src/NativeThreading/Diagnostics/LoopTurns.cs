using System.Diagnostics;
using NativeThreading.Waiting;

namespace NativeThreading.Diagnostics;

/// <summary>The turns of one loop while somebody observes. The loop's thread writes; observers read, each for itself. Times are in ticks
/// of <see cref="Stopwatch"/>.</summary>
internal sealed class LoopTurns
{
    private readonly UninterruptedLock _lock = new();
    private readonly Dictionary<object, long> _longestFor = []; // since the last look of each observer; under the lock
    private long _count;
    private long _busy;
    private long _longest;
    private long _began; // of the turn that runs, else 0
    private int _period;

    /// <summary>Turns that ended while somebody observed.</summary>
    public long Count => Volatile.Read(ref _count);

    /// <summary>By the loop's thread: it is awake.</summary>
    public void Begin(int period)
    {
        Volatile.Write(ref _period, period);
        Volatile.Write(ref _began, Stopwatch.GetTimestamp());
    }

    /// <summary>By the loop's thread: it is about to sleep. A turn that began while nobody observed is not counted.</summary>
    public void End(int period)
    {
        long began = _began;
        Volatile.Write(ref _began, 0);
        if (began == 0 || _period != period)
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

    /// <summary>The sums so far, and the longest turn since this observer looked last, the one that runs included.</summary>
    public (long Count, long Busy, long Longest) Look(object observer, long now)
    {
        long began = Volatile.Read(ref _began);
        long running = began != 0 && Volatile.Read(ref _period) == Observation.Period ? Math.Max(0, now - began) : 0;
        using var held = _lock.EnterScope();
        long longest = Interlocked.Exchange(ref _longest, 0);
        foreach (object other in (object[])[.. _longestFor.Keys])
        {
            _longestFor[other] = Math.Max(_longestFor[other], longest);
        }

        longest = Math.Max(longest, _longestFor.GetValueOrDefault(observer));
        _longestFor[observer] = 0;
        return (Volatile.Read(ref _count), Volatile.Read(ref _busy) + running, Math.Max(longest, running));
    }

    /// <summary>The observer looks no more.</summary>
    public void Forget(object observer)
    {
        using var held = _lock.EnterScope();
        _longestFor.Remove(observer);
    }
}
