namespace NativeThreading.Tests.Tasks;

/// <summary>What an item finds around it, and what it can do to a task around it.</summary>
internal sealed record Surroundings(
    int? TaskId, bool IsDefaultScheduler, SynchronizationContext? SynchronizationContext, bool IsFlowSuppressed, string? Local)
{
    /// <summary>What an item from a queue finds, with nothing set where it was queued.</summary>
    public static readonly Surroundings OfAnItem = new(null, IsDefaultScheduler: true, null, IsFlowSuppressed: false, null);

    public static Surroundings Here(AsyncLocal<string?>? local = null) => new(
        Task.CurrentId,
        TaskScheduler.Current == TaskScheduler.Default,
        SynchronizationContext.Current,
        ExecutionContext.IsFlowSuppressed(),
        local?.Value);
}
