namespace NativeThreading.Scheduling;

/// <summary>Threads of <see cref="TaskCreationOptions.LongRunning"/> tasks: a pool's, but not its workers.</summary>
internal sealed class LongRunningThreads(NativeThreadPool pool)
{
    private int _count;

    /// <summary>Threads that run a task at this moment.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>
    /// Gives a task a thread. Throws what starting one throws, and the task fails. It is work like any other, which the
    /// shutdown waits for.
    /// </summary>
    public void Start(Task task, Action<object?> execute)
    {
        pool.OpenOperations.AddFromOutside(task); // before the task that starts it has ended, if one does
        Interlocked.Increment(ref _count);
        try
        {
            pool.StartThread(
                () =>
                {
                    LongRunningThread.Run(pool, execute, task);
                    Interlocked.Decrement(ref _count);
                },
                LongRunningThread.NameIn(pool));
        }
        catch
        {
            Interlocked.Decrement(ref _count);
            throw;
        }
    }
}
