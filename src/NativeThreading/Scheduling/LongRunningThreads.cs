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
        pool.OpenOperations.AddFromOutside(task); // before the task that starts it completes, if one does
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

/// <summary>
/// The thread of a <see cref="TaskCreationOptions.LongRunning"/> task. It has no queues: its items go where the items of
/// an outside thread go, but a shutdown does not reject them, because they are part of the accepted work.
/// </summary>
internal sealed class LongRunningThread
{
    [ThreadStatic]
    private static LongRunningThread? t_current;

    private readonly NativeThreadPool _pool;
    private readonly Task _task;

    private LongRunningThread(NativeThreadPool pool, Task task)
    {
        _pool = pool;
        _task = task;
    }

    /// <summary>
    /// The pool whose task the calling thread was started for. What continues the task at once, on a thread that is about
    /// to end, is not the pool's any more: the pool may have stopped.
    /// </summary>
    public static NativeThreadPool? Pool => t_current is { } thread && !thread._task.IsCompleted ? thread._pool : null;

    public static string NameIn(NativeThreadPool pool) => pool.Name + "-long-running";

    /// <summary>Runs the task, whose exceptions are its own, and ends.</summary>
    public static void Run(NativeThreadPool pool, Action<object?> execute, Task task)
    {
        t_current = new LongRunningThread(pool, task);
        pool.PrepareThread();
        pool.ThreadStarts();
        execute(task);
        pool.ThreadStops();
    }
}
