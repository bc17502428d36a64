using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>Threads of <see cref="TaskCreationOptions.LongRunning"/> tasks: the pool's, but not its workers.</summary>
public sealed partial class NativeThreadPool
{
    private int _longRunningCount;

    /// <summary>
    /// Threads that run a <see cref="TaskCreationOptions.LongRunning"/> task of <see cref="Scheduler"/> at this moment, one
    /// each. <see cref="ThreadCount"/> and <see cref="MaxThreads"/> do not count them.
    /// </summary>
    public int LongRunningThreadCount => Volatile.Read(ref _longRunningCount);

    /// <summary>
    /// Gives a task a thread. Throws what starting one throws, and the task fails. It is work like any other, which the
    /// shutdown waits for; where the pool has stopped, the thread is no longer the pool's.
    /// </summary>
    internal void StartLongRunning(Task task, Action<object?> execute)
    {
        if (IsStopped)
        {
            Interlocked.Increment(ref _ranElsewhere);
            ThreadStarter.Start(() => execute(task), LongRunningThread.NameIn(this), MaxStackSize);
            return;
        }

        OpenOperations.AddFromOutside(task); // before the task that starts it has ended, if one does
        Interlocked.Increment(ref _longRunningCount);
        try
        {
            ThreadStarter.Start(
                () =>
                {
                    LongRunningThread.Run(this, execute, task);
                    Interlocked.Decrement(ref _longRunningCount);
                },
                LongRunningThread.NameIn(this),
                MaxStackSize);
        }
        catch
        {
            Interlocked.Decrement(ref _longRunningCount);
            throw;
        }
    }
}
