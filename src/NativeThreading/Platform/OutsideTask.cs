using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;

namespace NativeThreading.Platform;

/// <summary>Runs an action inline, inside a running task, as if no task were running: the action sees what an item from a queue sees (T135).</summary>
/// <remarks>Only the runtime can clear the current task. The runtime clears the current task for inline continuations, which it runs if no
/// other scheduler is current. So under another scheduler a task of the default scheduler comes first. If a future runtime does not run the
/// continuation inline, the action does not run, and <see cref="TryRun"/> returns false.</remarks>
internal sealed class OutsideTask
{
    private readonly Action _action;
    private readonly Thread _thread = Thread.CurrentThread;
    private ExceptionDispatchInfo? _failure;
    private bool _hasBegun;
    private bool _isOver;

    private OutsideTask(Action action) => _action = action;

    /// <summary>Whether a task is running on the calling thread.</summary>
    public static bool IsInside
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Task.CurrentId is not null;
    }

    /// <summary>Runs the action and throws its exception. Returns <see langword="false"/> if the action did not start and will not start. The caller
    /// has checked that enough stack is left, and has set no synchronization context.</summary>
    public static bool TryRun(Action action)
    {
        var run = new OutsideTask(action);
        if (TaskScheduler.Current == TaskScheduler.Default)
        {
            run.GoOn();
        }
        else
        {
            new Task(static run => ((OutsideTask)run!).GoOn(), run, TaskCreationOptions.DenyChildAttach)
                .RunSynchronously(TaskScheduler.Default);
        }

        run._isOver = true; // if the runtime has queued the continuation, this very thread may still run it later
        run._failure?.Throw();
        return run._hasBegun;
    }

    private void GoOn()
    {
        var awaited = new TaskCompletionSource();
        awaited.Task.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(Run);
        awaited.SetResult();
    }

    private void Run()
    {
        if (Thread.CurrentThread != _thread || _isOver)
        {
            return;
        }

        _hasBegun = true;
        try
        {
            _action();
        }
        catch (Exception exception)
        {
            _failure = ExceptionDispatchInfo.Capture(exception);
        }
    }
}

/// <summary>Calling back at the end of a task.</summary>
internal static class TaskEnd
{
    /// <summary>Calls back on the thread that completes the task; at once if it has completed. An await would go over the built-in pool
    /// where that thread has a scheduler or context of its own, as ours have, and the caller would depend on that pool (T67).</summary>
    public static void WhenEnded(this Task task, Action<Task, object?> callback, object state) =>
        task.ContinueWith(callback, state, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
}

/// <summary>Whether the calling thread has stack left to run foreign code in place.</summary>
internal static class StackSpace
{
    /// <summary>With a margin: the framework asks again a few frames deeper before it runs a task in place, and would queue it and
    /// block for it instead (T136).</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    [SkipLocalsInit]
    public static unsafe bool IsLeft()
    {
        byte* margin = stackalloc byte[16 * 1024];
        Volatile.Write(ref *margin, 0); // or it would not be allocated
        return RuntimeHelpers.TryEnsureSufficientExecutionStack();
    }
}
