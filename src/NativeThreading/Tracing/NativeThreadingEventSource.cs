using System.Diagnostics.Tracing;

using NativeThreading.Platform;

namespace NativeThreading.Tracing;

/// <summary>The event source <c>NativeThreading</c>. It reports failures and warnings of pools and loops, counters summed over all pools
/// and, to listeners that enable the keyword, each item.</summary>
[EventSource(Name = "NativeThreading")]
internal sealed partial class NativeThreadingEventSource : EventSource
{
    public static readonly NativeThreadingEventSource Log = Create();

    // The name is passed, so that the runtime does not search for the attribute: reading its first attribute costs a new process milliseconds.
    private NativeThreadingEventSource()
        : base(nameof(NativeThreading), EventSourceSettings.EtwManifestEventFormat)
    {
    }

    private static NativeThreadingEventSource Create()
    {
        var source = new NativeThreadingEventSource();
        LoadContextEnd.Register(source.End);
        return source;
    }

    /// <summary>Keywords of events that a listener must enable.</summary>
    public static class Keywords
    {
        /// <summary>Start and completion of each work item that was queued while a listener had enabled this keyword.</summary>
        public const EventKeywords WorkItems = (EventKeywords)1;
    }

    /// <summary>Creates the source, so that listeners find it. It reports to each listener which core the process runs on.</summary>
    [NonEvent]
    public static void EnsureExists() => GC.KeepAlive(Log);

    /// <summary>Whether a listener traces items.</summary>
    public bool TracesItems => IsEnabled(EventLevel.Verbose, Keywords.WorkItems);

    [Event(1, Level = EventLevel.Error, Message = "Pool '{0}' could not start a thread: {1}. Accepted work runs on its {2} existing threads; the start is retried.")]
    public void ThreadStartFailed(string pool, string reason, int threads) => WriteEvent(1, pool, reason, threads);

    [Event(2, Level = EventLevel.Warning, Message = "The threads of '{0}' keep the default priority: their nice value could not be set to {1} (errno {2}). Lowering a nice value requires CAP_SYS_NICE.")]
    public void PriorityRefused(string pool, int nice, int errno) => WriteEvent(2, pool, nice, errno);

    [Event(3, Level = EventLevel.Error, Message = "Pool '{0}': a wake-up was lost for {1} ms and has been repeated. This is a bug in NativeThreading; please report it.")]
    public void LostRequestRepaired(string pool, long age) => WriteEvent(3, pool, age);

    [Event(4, Level = EventLevel.Error, Message = "An unhandled exception ({1}) ended a thread of pool '{0}'; other threads run its items. Handle exceptions in the items, or set UnhandledException.")]
    public void WorkerEnded(string pool, string exception) => WriteEvent(4, pool, exception);

    [Event(5, Level = EventLevel.Warning, Message = "Pool '{0}': {1} more threads are blocked while work is waiting; {2} threads were added, {3} threads in total. If this repeats, make the blocking code asynchronous.")]
    public void ThreadsInjected(string pool, int blocked, int added, int threads) => WriteEvent(5, pool, blocked, added, threads);

    [Event(6, Level = EventLevel.Warning, Message = "Pool '{0}': work waited for {1} ms while every thread was blocked; it is running again. If this repeats, make the blocking code asynchronous.")]
    public void StarvationEnded(string pool, double milliseconds) => WriteEvent(6, pool, milliseconds);

    [Event(7, Level = EventLevel.Error, Message = "Pool '{0}': work is waiting, but all {2} allowed threads exist and MaxBlockedThreads ({1}) is reached. Make the blocking code asynchronous, or raise MaxBlockedThreads.")]
    public void BlockedLimitReached(string pool, int limit, int threads) => WriteEvent(7, pool, limit, threads);

    [Event(8, Level = EventLevel.Warning, Message = "The run states of threads cannot be read from /proc (errno {0}). Blocked threads are detected only by their lack of progress, after {1} ms.")]
    public void RunStatesUnreadable(int errno, int milliseconds) => WriteEvent(8, errno, milliseconds);

    [Event(9, Level = EventLevel.Error, Message = "The monitor thread could not be started: {0}. No pool can start its first thread until the monitor runs.")]
    public void MonitorStartFailed(string reason) => WriteEvent(9, reason);

    [Event(10, Level = EventLevel.Verbose, Keywords = Keywords.WorkItems, ActivityOptions = EventActivityOptions.Disable,
        Message = "Pool '{0}': an item starts after {1} us in the queues.")]
    public void WorkItemStart(string pool, long queuedMicroseconds) => WriteEvent(10, pool, queuedMicroseconds);

    [Event(11, Level = EventLevel.Verbose, Keywords = Keywords.WorkItems, ActivityOptions = EventActivityOptions.Disable,
        Message = "Pool '{0}': an item completed.")]
    public void WorkItemStop(string pool) => WriteEvent(11, pool);

    [Event(15, Level = EventLevel.Error, Message = "Pool '{0}': a listener of its measurements threw an exception. Items are not affected. Further failures are suppressed. {1}")]
    public void ListenerFailed(string pool, string exception) => WriteEvent(15, pool, exception);

    [Event(16, Level = EventLevel.Informational, Message = "Pools and loops run on the {0} core. {1}")]
    public void CoreChosen(string core, string reason) => WriteEvent(16, core, reason);

    [Event(17, Level = EventLevel.Warning, Message = "Pools and loops run on the managed core, because the native core cannot be used. {0}")]
    public void NativeCoreUnusable(string reason) => WriteEvent(17, reason);

    [Event(20, Level = EventLevel.Error, Message = "An unhandled exception ended the thread of event loop '{0}'; the loop continues on a new thread. Handle exceptions in the callbacks, or set UnhandledException.")]
    public void LoopThreadEnded(string loop) => WriteEvent(20, loop);

    [Event(21, Level = EventLevel.Critical, Message = "Event loop '{0}' has stopped: an unhandled exception ended its thread, and no new thread could be started: {1}")]
    public void LoopEnded(string loop, string reason) => WriteEvent(21, loop, reason);

    [Event(22, Level = EventLevel.Informational, Message = "Event loop '{0}': a callback is blocking, so another thread took over the loop; {1} callbacks are blocking.")]
    public void LoopHandedOver(string loop, int blocked) => WriteEvent(22, loop, blocked);

    [Event(23, Level = EventLevel.Error, Message = "Event loop '{0}' is waiting for a blocked callback: MaxBlockedThreads ({1}) is reached. Make the callback asynchronous, offload it to a pool, or raise MaxBlockedThreads.")]
    public void LoopBlockedLimitReached(string loop, int limit) => WriteEvent(23, loop, limit);

    [Event(24, Level = EventLevel.Error, Message = "Pool '{0}': all {1} threads are blocked at the limit (MaxBlockedThreads = {2}), and continuations had waited for {3} ms, so rescue threads run them. Code on the pool probably blocks on work of the same pool (Task.Result, Task.Wait). Await instead of blocking, or raise MaxBlockedThreads.")]
    public void RescueStarted(string pool, int threads, int maxBlockedThreads, long waitedMilliseconds, int suppressed) =>
        WriteEvent(24, pool, threads, maxBlockedThreads, waitedMilliseconds, suppressed);

    [Event(25, Level = EventLevel.Error, Message = "Pool '{0}' may be deadlocked: all {1} threads are blocked, and continuations wait that no thread may run (MaxBlockedThreads = {2}, rescue threads = {3}). Code on the pool probably blocks on work of the same pool (Task.Result, Task.Wait). Await instead of blocking, or raise MaxBlockedThreads or MaxRescueThreads.")]
    public void RescueLimitReached(string pool, int threads, int maxBlockedThreads, int maxRescueThreads) =>
        WriteEvent(25, pool, threads, maxBlockedThreads, maxRescueThreads);

    [Event(26, Level = EventLevel.Error, Message = "Event loop '{0}': a callback has blocked for {2} ms at the limit (MaxBlockedThreads = {1}), so another thread takes the loop over. Callbacks probably block on work of the same loop (Task.Result, Task.Wait). Await instead of blocking, or raise MaxBlockedThreads.")]
    public void LoopRescued(string loop, int limit, long blockedMilliseconds, int suppressed) =>
        WriteEvent(26, loop, limit, blockedMilliseconds, suppressed);

    [Event(27, Level = EventLevel.Warning, Message = "Pool '{0}' was stopped, because the token of its shutdown was cancelled. {1} items had not started and were dropped or cancelled. {2} continuations and tasks of its scheduler run on the built-in thread pool.")]
    public void StoppedByToken(string pool, long dropped, long ranElsewhere) => WriteEvent(27, pool, dropped, ranElsewhere);

    [Event(29, Level = EventLevel.Warning, Message = "Thread '{0}' inherited a nice value that is {1} above that of the process, and may not lower it: no thread with the value of the process was there to start it. Create the first pool or event loop on a thread whose priority nothing has changed.")]
    public void PriorityInherited(string thread, int offset) => WriteEvent(29, thread, offset);

    [Event(30, Level = EventLevel.Warning, Message = "The function '{1}' of pool '{0}' threw an exception: {2}. The thread serves the pool all the same.")]
    public void ThreadHookFailed(string pool, string option, string exception) => WriteEvent(30, pool, option, exception);

    [Event(31, Level = EventLevel.Warning, Message = "The system does not let the threads of pool '{0}' run on processors {1} only (errno {2}). They run on all processors of the process.")]
    public void AffinityRefused(string pool, string processors, int errno) => WriteEvent(31, pool, processors, errno);

    [Event(28, Level = EventLevel.Warning, Message = "Pool '{0}' has stopped. {1} continuations and tasks that could not run on it ran on the built-in thread pool. Dispose a pool after the work that resumes on it has completed.")]
    public void RanElsewhere(string pool, long count) => WriteEvent(28, pool, count);
}
