using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Diagnostics;
using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>What can be seen of a pool from outside.</summary>
public sealed partial class NativeThreadPool
{
    private readonly WaitingItems _waiting;
    private bool _watchesItems;
    private int _listenerFailed;
    private long _injected;

    /// <summary>
    /// For how long the item that has waited longest has been waiting; zero when nothing waits. May be asked as often as
    /// wanted: one look costs about as much as <see cref="PendingWorkItemCount"/>.
    /// </summary>
    /// <remarks>
    /// Items carry no time, so this is worked out from how far the queues reached at earlier looks: an item is at least as
    /// old as the first look that saw its place filled. The pool looks by itself, about ten times a second, while items
    /// wait and no thread is free, so that the age is then right to about a tenth of a second; otherwise each call is a look.
    /// It errs to the low side: an item that was moved to another thread's queue counts from then on, and so does one that
    /// lies at the bottom of the local queue of a thread that keeps running newer ones.
    /// </remarks>
    public TimeSpan OldestWorkItemAge => _waiting.Look();

    /// <summary>
    /// For how long every thread of the pool has been blocked without a break; zero while one of them runs or is free to.
    /// Threads are found blocked while work waits; without waiting work only those in a region
    /// (<see cref="EnterBlockingRegion"/>) count.
    /// </summary>
    public TimeSpan AllThreadsBlockedDuration => Roster.AllBlockedDuration;

    /// <summary>The meter this pool's measurements go to.</summary>
    internal PoolMetrics Metrics { get; }

    /// <summary>What the monitor tells of while work waits.</summary>
    internal WaitingItems Waiting => _waiting;

    /// <summary>Threads that run, or are about to: neither parked nor known to be blocked.</summary>
    internal int ActiveThreadCount =>
        Math.Max(0, ThreadCount - WorkerSignal.IdleCount(Signal.Word) - Roster.ReserveCount - BlockedThreadCount);

    internal long InjectedThreadCount => Volatile.Read(ref _injected);

    internal long WakeCount => Signal.WakeCount;

    /// <summary>Times a worker took from another one's queues.</summary>
    internal long StealCount => Roster.StealCount;

    /// <summary>Whether the way of items through the queues is watched. Set for all pools while somebody traces items.</summary>
    internal void WatchItems(bool traced) => Volatile.Write(ref _watchesItems, traced || _options.MeasureQueueDuration);

    /// <summary>By the monitor's thread only.</summary>
    internal void NoteInjected(int threads) => Volatile.Write(ref _injected, _injected + threads);

    /// <summary>
    /// A listener of the measurements threw. It is told of once; measuring goes on. Not for the handler of unhandled
    /// exceptions, for no work item threw it, and not unhandled, for to look at a pool must not end it.
    /// </summary>
    internal void NoteListenerFailed(Exception exception)
    {
        if (Interlocked.Exchange(ref _listenerFailed, 1) != 0)
        {
            return;
        }

        string text;
        try
        {
            text = exception.ToString();
        }
        catch (Exception)
        {
            text = exception.GetType().ToString(); // it throws even when it is looked at
        }

        NativeThreadingEventSource.Log.ListenerFailed(Name, text);
    }

    /// <summary>An item that was watched begins. Throws nothing: the item has been taken, and only its caller has it (T138).</summary>
    internal void NoteBegin(long queued)
    {
        TimeSpan waited = Stopwatch.GetElapsedTime(queued);
        if (_options.MeasureQueueDuration)
        {
            Metrics.Waited(this, waited);
        }

        if (NativeThreadingEventSource.Log.TracesItems)
        {
            NativeThreadingEventSource.Log.WorkItemStart(Name, (long)waited.TotalMicroseconds);
        }
    }

    /// <summary>And ends.</summary>
    internal void NoteEnd()
    {
        if (NativeThreadingEventSource.Log.TracesItems)
        {
            NativeThreadingEventSource.Log.WorkItemStop(Name);
        }
    }

    /// <summary>Reached only where <see cref="_watchesItems"/> is set: the test of that is all an item costs otherwise.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private object? Watched(object? context) =>
        (_options.MeasureQueueDuration && Metrics.WantsQueueDuration) || NativeThreadingEventSource.Log.TracesItems
            ? new TimedContext(context, Stopwatch.GetTimestamp())
            : context;
}
