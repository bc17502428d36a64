using System.Diagnostics.Tracing;
using NativeThreading.Platform;

namespace NativeThreading.Tracing;

/// <summary>The counters of the event source, for <c>dotnet-counters</c>: sums over all pools of the process.</summary>
internal sealed partial class NativeThreadingEventSource
{
    // Created when a listener first asks, and kept: a counter without a listener does nothing.
    private DiagnosticCounter[]? _counters;

    /// <inheritdoc/>
    protected override void OnEventCommand(EventCommandEventArgs command)
    {
        if (command.Command == EventCommand.Enable)
        {
            _counters ??= CreateCounters();
            TellCore();
        }

        WatchedItems.UpdateAll();
    }

    /// <summary>Says which core runs, and why, to each new listener: the choice was perhaps made before.</summary>
    [NonEvent]
    private void TellCore()
    {
        if (CoreChoice.IsFallback)
        {
            NativeCoreUnusable(CoreChoice.Reason);
        }
        else
        {
            CoreChosen(CoreChoice.Core == ThreadingCore.Managed ? "managed" : "native", CoreChoice.Reason);
        }
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        foreach (DiagnosticCounter counter in _counters ?? [])
        {
            counter.Dispose();
        }

        base.Dispose(disposing);
    }

    /// <summary>Disposes the source. The runtime's list of sources to poll would keep it, and this library's code, alive while a listener
    /// listens. A listener that leaves takes it off that list, so one comes and leaves here.</summary>
    [NonEvent]
    private void End()
    {
        if (_counters is not null)
        {
            using var last = new LastListener();
            last.EnableEvents(this, EventLevel.LogAlways);
            last.DisableEvents(this);
        }

        Dispose();
    }

    private sealed class LastListener : EventListener;

    private DiagnosticCounter[] CreateCounters() =>
    [
        Level("thread-count", "Threads", static pool => pool.ThreadCount),
        Level("thread-active-count", "Running threads", static pool => pool.ActiveThreadCount),
        Level("thread-blocked-count", "Blocked threads", static pool => pool.BlockedThreadCount),
        Level("queue-length", "Waiting work items", static pool => pool.PendingWorkItemCount),
        Rate("work-item-count", "Work items completed", static pool => pool.CompletedWorkItemCount),
        Rate("wakeups", "Threads woken", static pool => pool.WakeCount),
        Rate("steals", "Steals", static pool => pool.StealCount),
        Rate("thread-injected-count", "Threads injected", static pool => pool.InjectedThreadCount),
        Rate("thread-rescued-count", "Rescue threads put to work", static pool => pool.RescuedThreadCount),
        Level("watchdog-recoveries", "Lost wake-ups repeated", static pool => pool.RepairCount),
    ];

    private PollingCounter Level(string name, string display, Func<NativeThreadPool, long> read) =>
        new(name, this, () => Sum(read)) { DisplayName = display };

    private IncrementingPollingCounter Rate(string name, string display, Func<NativeThreadPool, long> read) =>
        new(name, this, () => Sum(read)) { DisplayName = display, DisplayRateTimeScale = TimeSpan.FromSeconds(1) };

    private static double Sum(Func<NativeThreadPool, long> read) => PoolRegistry.Pools.Sum(read);
}
