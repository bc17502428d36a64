namespace NativeThreading.Workers;

/// <summary>One sleep of a worker in a wait for a group. It completes when the worker is to look again.</summary>
internal sealed class GroupSleep() : TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)
{
    private bool _isTold;

    /// <summary>Whether there was something to run, so the worker comes. Set under the group's lock, before the task completes.</summary>
    public bool IsTold
    {
        get => Volatile.Read(ref _isTold);
        set => Volatile.Write(ref _isTold, value);
    }
}
