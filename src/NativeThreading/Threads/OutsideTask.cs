using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;

namespace NativeThreading.Threads;

/// <summary>Runs something in place, inside a task, as if none was running: it sees what an item from a queue sees (T135).</summary>
/// <remarks>Only the framework can say that no task runs. It says so where it continues behind an await in place, which it does where no
/// scheduler is current. So under another scheduler a task of the runtime's scheduler comes first, which counts as none. A framework that
/// does otherwise runs nothing here, and the caller is told.</remarks>
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

    /// <summary>Runs it, and throws what it throws. <see langword="false"/>: it was not begun, and will not be. The caller has
    /// looked that there is stack left, and has set no synchronization context.</summary>
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

        run._isOver = true; // should the framework have queued it, it may yet come to this very thread
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
