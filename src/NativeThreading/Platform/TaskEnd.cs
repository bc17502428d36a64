namespace NativeThreading.Platform;

/// <summary>Calling back at the end of a task.</summary>
internal static class TaskEnd
{
    /// <summary>Calls back on the thread that completes the task; at once if it has completed. An await would go over the runtime's pool
    /// where that thread has a scheduler or context of its own, as ours have, and the caller would depend on that pool (T67).</summary>
    public static void WhenEnded(this Task task, Action<Task, object?> callback, object state) =>
        task.ContinueWith(callback, state, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
}
