namespace NativeThreading.Scheduling;

/// <summary>
/// The event shared by all workers that wait for one group. It completes when they should scan again: there are items, or all items have
/// completed. The next worker that falls asleep creates a new event.
/// </summary>
internal sealed class GroupSleep(WorkGroup group) : TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)
{
    /// <summary>Whether only another worker, or a timeout, can complete it.</summary>
    public bool DependsOnOthers => !Task.IsCompleted && !group.IsDone;
}
