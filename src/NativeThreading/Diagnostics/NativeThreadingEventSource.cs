using System.Diagnostics.Tracing;

namespace NativeThreading.Diagnostics;

/// <summary>The event source <c>NativeThreading</c>: what a pool or a loop could not do as asked; counters of all pools together;
/// and, for whoever asks by keyword, each item.</summary>
[EventSource(Name = "NativeThreading")]
internal sealed partial class NativeThreadingEventSource : EventSource
{
    public static readonly NativeThreadingEventSource Log = Create();

    private NativeThreadingEventSource()
    {
    }

    private static NativeThreadingEventSource Create()
    {
        var source = new NativeThreadingEventSource();
        LoadContextEnd.Register(source.End);
        return source;
    }

    /// <summary>Events that a listener must ask for.</summary>
    public static class Keywords
    {
        /// <summary>Begin and end of each work item that was queued while a listener asked for this keyword.</summary>
        public const EventKeywords WorkItems = (EventKeywords)1;
    }

    /// <summary>From now on a listener finds the source, and is told on which core the process runs.</summary>
    [NonEvent]
    public static void EnsureExists() => GC.KeepAlive(Log);

    /// <summary>Whether a listener traces items.</summary>
    public bool TracesItems => IsEnabled(EventLevel.Verbose, Keywords.WorkItems);

    [Event(1, Level = EventLevel.Error, Message = "Pool {0} could not start a thread: {1}. Accepted work runs on its {2} existing threads; the start is retried.")]
    public void ThreadStartFailed(string pool, string reason, int threads) => WriteEvent(1, pool, reason, threads);

    [Event(2, Level = EventLevel.Warning, Message = "Pool {0} may not give its threads nice value {1} (errno {2}); they keep the default.")]
    public void PriorityRefused(string pool, int nice, int errno) => WriteEvent(2, pool, nice, errno);

    [Event(3, Level = EventLevel.Error, Message = "Pool {0} found a request that nobody had honoured for {1} ms, and repeated it.")]
    public void LostRequestRepaired(string pool, long age) => WriteEvent(3, pool, age);

    [Event(4, Level = EventLevel.Error, Message = "A thread of pool {0} was ended by an unhandled exception ({1}); its work was handed over.")]
    public void WorkerEnded(string pool, string exception) => WriteEvent(4, pool, exception);

    [Event(5, Level = EventLevel.Warning, Message = "Pool {0}: work waited while {1} more threads were found blocked; {2} others were put to work, {3} threads in all.")]
    public void ThreadsInjected(string pool, int blocked, int added, int threads) => WriteEvent(5, pool, blocked, added, threads);

    [Event(6, Level = EventLevel.Warning, Message = "Pool {0}: work had waited for {1} ms while every thread was blocked; it goes on.")]
    public void StarvationEnded(string pool, double milliseconds) => WriteEvent(6, pool, milliseconds);

    [Event(7, Level = EventLevel.Error, Message = "Pool {0}: work waits, but MaxBlockedThreads = {1} allows no more than the {2} threads there are.")]
    public void BlockedLimitReached(string pool, int limit, int threads) => WriteEvent(7, pool, limit, threads);

    [Event(8, Level = EventLevel.Warning, Message = "The run states of threads cannot be read (errno {0}): blocked ones are found by their lack of progress, after {1} ms.")]
    public void RunStatesUnreadable(int errno, int milliseconds) => WriteEvent(8, errno, milliseconds);

    [Event(9, Level = EventLevel.Error, Message = "The thread that looks after blocked pools could not be started: {0}. No pool gets its first thread until it can.")]
    public void MonitorStartFailed(string reason) => WriteEvent(9, reason);

    [Event(10, Level = EventLevel.Verbose, Keywords = Keywords.WorkItems, ActivityOptions = EventActivityOptions.Disable,
        Message = "Pool {0}: an item begins after {1} us in the queues.")]
    public void WorkItemStart(string pool, long queuedMicroseconds) => WriteEvent(10, pool, queuedMicroseconds);

    [Event(11, Level = EventLevel.Verbose, Keywords = Keywords.WorkItems, ActivityOptions = EventActivityOptions.Disable,
        Message = "Pool {0}: an item has ended.")]
    public void WorkItemStop(string pool) => WriteEvent(11, pool);

    [Event(15, Level = EventLevel.Error, Message = "Pool {0}: a listener of its measurements threw. Items run all the same; further failures are not told. {1}")]
    public void ListenerFailed(string pool, string exception) => WriteEvent(15, pool, exception);

    [Event(16, Level = EventLevel.Informational, Message = "Pools and loops run on the {0} core. {1}")]
    public void CoreChosen(string core, string reason) => WriteEvent(16, core, reason);

    [Event(17, Level = EventLevel.Warning, Message = "Pools and loops run on the managed core, because the native one cannot be used. {0}")]
    public void NativeCoreUnusable(string reason) => WriteEvent(17, reason);

    [Event(20, Level = EventLevel.Error, Message = "The thread of event loop {0} was ended by an unhandled exception; the loop goes on on a new one.")]
    public void LoopThreadEnded(string loop) => WriteEvent(20, loop);

    [Event(21, Level = EventLevel.Critical, Message = "Event loop {0} has stopped: its thread was ended by an unhandled exception, and no other could be started: {1}")]
    public void LoopEnded(string loop, string reason) => WriteEvent(21, loop, reason);

    [Event(22, Level = EventLevel.Informational, Message = "Event loop {0}: a callback blocks, and another thread has taken over; {1} callbacks block.")]
    public void LoopHandedOver(string loop, int blocked) => WriteEvent(22, loop, blocked);

    [Event(23, Level = EventLevel.Error, Message = "Event loop {0} waits for a blocked callback: MaxBlockedThreads = {1} allows no further thread.")]
    public void LoopBlockedLimitReached(string loop, int limit) => WriteEvent(23, loop, limit);
}
