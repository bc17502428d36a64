using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using NativeThreading.Waiting;

namespace NativeThreading.ManagedCore;

/// <summary>How a loop's thread sleeps and others wake it. As native/src/event_loop_wake.c, but with an event in the place of a descriptor.</summary>
/// <remarks>
/// <para>One word; each step is one interlocked change of it, which is a full fence. A wake sets NOTIFIED, and sets the event if that was clear
/// and BLOCKED was set. The loop announces its sleep by BLOCKED, unless it finds NOTIFIED; behind the sleep it clears both in one step.</para>
/// <para>No wake is lost: a waker publishes and then takes its step. If that comes before the announcement, the loop finds NOTIFIED and does
/// not sleep; if it comes after, the event is or becomes set (T71). A set that comes late, when the loop has woken for another reason, ends a
/// later sleep; the loop finds nothing then, and sleeps on (T78).</para>
/// <para>The event is left to its finalizer: a waker may be inside when the loop closes (T72).</para>
/// </remarks>
[SuppressMessage("Design", "CA1001", Justification = "The event is left to its finalizer.")]
internal sealed class LoopSleep
{
    private const int Notified = 1; // a wake that no poll has reported
    private const int Blocked = 2; // the loop sleeps, or is about to
    private const int Closed = 4;

    private readonly AutoResetEvent _event = new(initialState: false);
    private int _word;
    private long _sets;

    /// <summary>How often the event was set, by whoever woke.</summary>
    public long Sets => Volatile.Read(ref _sets);

    /// <summary>Whether <see cref="TryTake"/> would probably find a wake.</summary>
    public bool IsPending => (Volatile.Read(ref _word) & Notified) != 0;

    /// <summary>Makes the current or the next poll report a wake. <see langword="null"/>: the loop is closed; else whether the event was set.</summary>
    public bool? Wake(bool always)
    {
        while (true)
        {
            int seen = Volatile.Read(ref _word);
            Chaos.Point("LoopSleep.Wake, word read");
            if ((seen & Closed) != 0)
            {
                return null;
            }

            if (Interlocked.CompareExchange(ref _word, seen | Notified, seen) == seen)
            {
                Chaos.Point("LoopSleep.Wake, notified");
                bool sets = always || (seen & (Notified | Blocked)) == Blocked;
                if (sets)
                {
                    Interlocked.Increment(ref _sets);
                    _event.Set();
                }

                return sets;
            }
        }
    }

    /// <summary>The loop takes a pending wake.</summary>
    public bool TryTake() => IsPending && (Interlocked.And(ref _word, ~Notified) & Notified) != 0;

    /// <summary>The loop announces that it will sleep. <see langword="false"/>: a wake is pending, and nothing was announced.</summary>
    public bool TryBlock()
    {
        while (true)
        {
            int seen = Volatile.Read(ref _word);
            if ((seen & Notified) != 0)
            {
                return false;
            }

            if (Interlocked.CompareExchange(ref _word, seen | Blocked, seen) == seen)
            {
                Chaos.Point("LoopSleep.TryBlock, blocked");
                return true;
            }
        }
    }

    /// <summary>Sleeps until the event is set, which takes the set: <see langword="true"/>; or until the deadline.</summary>
    public bool Sleep(long deadline) => UninterruptedWait.One(_event, deadline);

    /// <summary>Withdraws the announcement and takes a pending wake: <see langword="true"/>.</summary>
    public bool EndBlock()
    {
        Chaos.Point("LoopSleep.EndBlock");
        int seen = Interlocked.And(ref _word, ~(Blocked | Notified));
        Debug.Assert((seen & Blocked) != 0);
        return (seen & Notified) != 0;
    }

    /// <summary>Refuses wakes from now on.</summary>
    public void Close() => Interlocked.Or(ref _word, Closed);
}
