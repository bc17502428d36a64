namespace NativeThreading.Limits;

/// <summary>
/// One call of <c>RunAsync</c>, or of <c>Run</c> in a pool whose queue is limited: the state of its task, which holds the
/// place from acceptance until the task begins or is cancelled.
/// </summary>
/// <remarks>
/// The task's own body leaves the place, because a task may begin without being taken out of a queue: a worker that
/// waits for it runs it there and then. What is cancelled leaves its place at once; the queue keeps a tombstone, which
/// ends when somebody comes upon it.
/// </remarks>
internal abstract class LimitedRun(NativeThreadPool pool, CancellationToken cancellationToken)
{
    /// <summary>The callback of an item that was waiting in line: the task begins where the item runs.</summary>
    public static readonly Action<object?> RunTask = static run => ((LimitedRun)run!).RunHere();

    private static readonly Action<object?> s_cancelled = static run => ((LimitedRun)run!).LeavePlace();

    private CancellationTokenRegistration _registration;
    private Task? _task;
    private Exception? _refusal;
    private int _holdsPlace;

    protected NativeThreadPool Pool => pool;

    /// <summary>The token that cancels the task before it begins.</summary>
    public CancellationToken CancellationToken => cancellationToken;

    /// <summary>Starts the task; the place, if the pool has any, has been taken.</summary>
    public void Start()
    {
        if (pool.Places is not null)
        {
            PlaceGranted();
            Chaos.Point("LimitedRun.Start, place granted");
            LeaveIfCancelled();
        }

        Chaos.Point("LimitedRun.Start");
        Start(pool.Scheduler);
    }

    /// <summary>Holds a place from now on.</summary>
    public void PlaceGranted()
    {
        Chaos.Point("LimitedRun.PlaceGranted");
        Interlocked.Exchange(ref _holdsPlace, 1);
    }

    /// <summary>Holds no place any more; <see langword="true"/>: the caller is to give it back.</summary>
    public bool TryForgoPlace()
    {
        Chaos.Point("LimitedRun.TryForgoPlace");
        return Interlocked.Exchange(ref _holdsPlace, 0) != 0;
    }

    /// <summary>After <see cref="PlaceGranted"/>: a token cancelled before that found no place to leave.</summary>
    public void LeaveIfCancelled()
    {
        Chaos.Point("LimitedRun.LeaveIfCancelled");
        if (cancellationToken.IsCancellationRequested)
        {
            LeavePlace();
        }
    }

    /// <summary>It will not be queued: its task fails, on a thread of the runtime's pool.</summary>
    public void Refuse(Exception exception)
    {
        _refusal = exception;
        Start(TaskScheduler.Default);
    }

    /// <summary>Runs the task on the calling thread, whichever it is, under the pool's scheduler.</summary>
    public void RunHere() => pool.Scheduler.RunHere(_task!);

    /// <summary>
    /// Before the task is created: callbacks of a token are called last in, first out, so the task has been cancelled when
    /// the place is left.
    /// </summary>
    protected void Register()
    {
        if (pool.Places is not null)
        {
            _registration = cancellationToken.UnsafeRegister(s_cancelled, this);
        }
    }

    /// <summary>The task, not started.</summary>
    protected void SetTask(Task task) => _task = task;

    /// <summary>The task's first act.</summary>
    protected void Begin()
    {
        Chaos.Point("LimitedRun.Begin");
        _registration.Unregister();
        LeavePlace();
        if (_refusal is not null)
        {
            throw _refusal;
        }
    }

    private void LeavePlace()
    {
        if (TryForgoPlace())
        {
            pool.Places!.Leave();
        }
    }

    private void Start(TaskScheduler scheduler)
    {
        if (_task!.IsCompleted)
        {
            return; // cancelled
        }

        try
        {
            _task.Start(scheduler);
        }
        catch (InvalidOperationException) when (_task.IsCompleted)
        {
            // Cancelled in this very moment.
        }
    }
}
