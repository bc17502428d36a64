namespace NativeThreading.Workers;

/// <summary>One sleep of a worker in a wait for a group. It completes when the worker is to look again.</summary>
/// <param name="awaitedForEver">The group, if there is no timeout.</param>
internal sealed class GroupSleep(WorkGroup? awaitedForEver) : TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)
{
    private bool _isTold;

    /// <summary>Whether there was something to run, so the worker comes. Set under the group's lock, before the task completes.</summary>
    public bool IsTold
    {
        get => Volatile.Read(ref _isTold);
        set => Volatile.Write(ref _isTold, value);
    }

    /// <summary>Whether nothing ends it but other workers: there is no timeout, the group is not done, and it was not told.</summary>
    public bool DependsOnOthers => awaitedForEver is { IsDone: false } && !IsTold;
}
