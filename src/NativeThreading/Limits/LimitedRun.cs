namespace NativeThreading.Limits;

/// <summary>
/// One call of <c>Run</c> or <c>RunAsync</c> in a pool whose queue is limited: it holds the place from acceptance until what
/// it runs begins or is cancelled.
/// </summary>
/// <remarks>
/// What runs leaves the place as its first act, because a task may begin without being taken out of a queue: a worker that
/// waits for it runs it there and then. What is cancelled leaves its place at once; the queue keeps a tombstone, which
/// ends when somebody comes upon it.
/// </remarks>
internal abstract class LimitedRun(NativeThreadPool pool, CancellationToken cancellationToken)
{
    /// <summary>The callback of an item that was waiting in line: it begins where the item runs.</summary>
    public static readonly Action<object?> RunWaiting = static run => ((LimitedRun)run!).RunHere();

    private static readonly Action<object?> s_cancelled = static run => ((LimitedRun)run!).LeavePlace();

    private CancellationTokenRegistration _registration;
    private Exception? _refusal;
    private int _holdsPlace;

    protected NativeThreadPool Pool => pool;

    /// <summary>The token that cancels it before it begins.</summary>
    public CancellationToken CancellationToken => cancellationToken;

    /// <summary>Queues it; the place has been taken.</summary>
    public void Start()
    {
        PlaceGranted();
        Chaos.Point("LimitedRun.Start, place granted");
        LeaveIfCancelled();
        Chaos.Point("LimitedRun.Start");
        Enqueue();
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

    /// <summary>It will not be queued: it fails, on a thread of the runtime's pool.</summary>
    public void Refuse(Exception exception)
    {
        _refusal = exception;
        BeginElsewhere();
    }

    /// <summary>Begins on the calling thread, whichever it is, under the pool's scheduler.</summary>
    public abstract void RunHere();

    /// <summary>Queues what runs, unless it was cancelled.</summary>
    protected abstract void Enqueue();

    /// <summary>Begins on the runtime's pool, unless it was cancelled.</summary>
    protected abstract void BeginElsewhere();

    /// <summary>
    /// Before what runs can be cancelled: callbacks of a token are called last in, first out, so it has been cancelled when
    /// the place is left.
    /// </summary>
    protected void Register() => _registration = cancellationToken.UnsafeRegister(s_cancelled, this);

    /// <summary>The first act of what runs.</summary>
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
}
