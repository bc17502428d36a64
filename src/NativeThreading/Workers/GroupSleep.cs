namespace NativeThreading.Workers;

/// <summary>
/// What workers that wait for a group sleep on, all of them the same. It completes when they are to look again: there are items, or all
/// have ended. The next one to fall asleep begins another.
/// </summary>
internal sealed class GroupSleep(WorkGroup group) : TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)
{
    /// <summary>Whether nothing but another worker ends it, where no timeout does.</summary>
    public bool DependsOnOthers => !Task.IsCompleted && !group.IsDone;
}
