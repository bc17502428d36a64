using NativeThreading.Workers;

namespace NativeThreading.Admission;

/// <summary>
/// One call of <c>Run</c> or <c>RunAsync</c> in a pool whose queue is limited: it holds the permit from acceptance until what
/// it runs begins or is cancelled.
/// </summary>
/// <remarks>
/// What runs releases the permit as its first act, because a task may begin without being taken out of a queue: a worker that
/// waits for it runs it there and then. What is cancelled releases its permit at once; the queue keeps a tombstone, which
/// ends when somebody comes upon it.
/// </remarks>
internal abstract class AdmittedRun
{
    /// <summary>The callback of an item whose caller waited for a permit: it begins where the item runs.</summary>
    public static readonly Action<object?> RunGranted = static run => ((AdmittedRun)run!).BeginGranted();

    private static readonly Action<object?> s_cancelled = static run => ((AdmittedRun)run!).ReleasePermit();

    private readonly CancellationToken _cancellationToken;
    private readonly CancellationTokenRegistration _registration;
    private object? _function;
    private Exception? _refusal;
    private int _holdsPermit;

    protected AdmittedRun(NativeThreadPool pool, Delegate function, CancellationToken cancellationToken)
    {
        Pool = pool;
        _function = function;
        _cancellationToken = cancellationToken;

        // Before what runs can be cancelled: callbacks of a token are called last in, first out, so it has been cancelled when
        // the permit is released.
        _registration = cancellationToken.UnsafeRegister(s_cancelled, this);
    }

    /// <summary>The context of the item whose callback is <see cref="RunGranted"/>.</summary>
    public virtual ItemContext GrantedContext => ContinuationContext.Instance;

    protected NativeThreadPool Pool { get; }

    /// <summary>Queues it; the permit has been acquired.</summary>
    public void Start()
    {
        PermitGranted();
        Chaos.Point("AdmittedRun.Start, permit granted");
        ReleaseIfCancelled();
        Chaos.Point("AdmittedRun.Start");
        Enqueue();
    }

    /// <summary>Holds a permit from now on.</summary>
    public void PermitGranted()
    {
        Chaos.Point("AdmittedRun.PermitGranted");
        Interlocked.Exchange(ref _holdsPermit, 1);
    }

    /// <summary>Holds no permit any more; <see langword="true"/>: the caller is to release it.</summary>
    public bool TryForgoPermit()
    {
        Chaos.Point("AdmittedRun.TryForgoPermit");
        return Interlocked.Exchange(ref _holdsPermit, 0) != 0;
    }

    /// <summary>After <see cref="PermitGranted"/>: a token cancelled before that found no permit to release.</summary>
    public void ReleaseIfCancelled()
    {
        Chaos.Point("AdmittedRun.ReleaseIfCancelled");
        if (_cancellationToken.IsCancellationRequested)
        {
            ReleasePermit();
        }
    }

    /// <summary>It will not be queued: it fails, on a thread of the runtime's pool.</summary>
    public void Refuse(Exception exception)
    {
        _refusal = exception;
        BeginElsewhere();
    }

    /// <summary>Begins on the calling thread, whichever it is, under the pool's scheduler or with a context of the pool's.</summary>
    public abstract void RunHere();

    /// <summary>Begins in the item that waited for a permit.</summary>
    protected virtual void BeginGranted() => RunHere();

    /// <summary>Queues what runs, unless it was cancelled.</summary>
    protected abstract void Enqueue();

    /// <summary>Begins on the runtime's pool, unless it was cancelled.</summary>
    protected abstract void BeginElsewhere();

    /// <summary>The first act of what runs: it keeps nothing alive from now on but what it returns.</summary>
    protected TDelegate Take<TDelegate>()
        where TDelegate : Delegate
    {
        Chaos.Point("AdmittedRun.Take");
        _registration.Unregister();
        ReleasePermit();
        if (_refusal is not null)
        {
            throw _refusal;
        }

        var function = (TDelegate)_function!;
        _function = null;
        return function;
    }

    private void ReleasePermit()
    {
        if (TryForgoPermit())
        {
            Pool.Permits!.Release();
        }
    }
}
