using System.Collections.Concurrent;
using Quartz;

namespace NativeThreading.Quartz.Tests.Support;

/// <summary>What the scheduler says went wrong.</summary>
internal sealed class SchedulerErrors : ISchedulerListener
{
    public ConcurrentQueue<string> All { get; } = new();

    public ValueTask SchedulerError(IScheduler scheduler, SchedulerErrorContext errorContext, CancellationToken cancellationToken = default)
    {
        All.Enqueue($"{errorContext}");
        return default;
    }

    public ValueTask TriggerInError(IScheduler scheduler, TriggerKey triggerKey, CancellationToken cancellationToken = default)
    {
        All.Enqueue($"{triggerKey} is in error");
        return default;
    }
}
