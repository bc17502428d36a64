using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Scheduling;
using NativeThreading.Tasks;

namespace NativeThreading.Limits;

/// <summary>One call of <c>Run</c> or <c>RunAsync</c> in a pool whose queue is limited: it holds a permit until its function starts
/// or is cancelled.</summary>
/// <remarks>The function releases the permit as its first act, because it may start without being taken out of a queue: a worker that waits
/// for the task runs it in place. A cancelled call releases its permit at once; its item stays in the queue, and does nothing.</remarks>
internal abstract class AdmittedRun : IItemSubject, IEntryCall
{
    /// <summary>The callback of an item whose caller waited for a permit. The function starts on the thread that runs the item.</summary>
    public static readonly Action<object?> RunGranted = static run => ((AdmittedRun)run!).BeginGranted();

    private static readonly Action<object?> s_cancelled = static run => ((AdmittedRun)run!).Cancelled();

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

        // Registered before the task or operation is: a token calls back last in, first out. So what runs has been cancelled
        // when its permit is released.
        _registration = cancellationToken.UnsafeRegister(s_cancelled, this);
    }

    /// <summary>The context of the item whose callback is <see cref="RunGranted"/>.</summary>
    public abstract ItemContext GrantedContext { get; }

    /// <inheritdoc/>
    Delegate? IItemSubject.Subject => Volatile.Read(ref _function) as Delegate;

    /// <inheritdoc/>
    bool IItemSubject.BeginsWork => true;

    protected NativeThreadPool Pool { get; }

    /// <summary>Whether the call waited for its permit: then its item is the call itself.</summary>
    protected bool IsGranted { get; private set; }

    /// <summary>Whether the function has been taken to be called.</summary>
    protected bool HasStarted => Volatile.Read(ref _function) is null;

    /// <summary>Queues the call, which has acquired a permit.</summary>
    public void Start()
    {
        PermitGranted();
        Chaos.Point("AdmittedRun.Start, permit granted");
        ReleaseIfCancelled();
        Chaos.Point("AdmittedRun.Start");
        Enqueue();
    }

    /// <summary>The call holds a permit from now on.</summary>
    public void PermitGranted()
    {
        Chaos.Point("AdmittedRun.PermitGranted");
        Interlocked.Exchange(ref _holdsPermit, 1);
    }

    /// <summary>As <see cref="PermitGranted"/>, for a call that has waited, and whose item is about to be published.</summary>
    public void PermitGrantedToWaiter()
    {
        IsGranted = true;
        PermitGranted();
    }

    /// <summary>The call holds no permit any more. <see langword="true"/>: it held one, which the caller releases.</summary>
    public bool TryForgoPermit()
    {
        Chaos.Point("AdmittedRun.TryForgoPermit");
        return Interlocked.Exchange(ref _holdsPermit, 0) != 0;
    }

    /// <summary>Comes after <see cref="PermitGranted"/>: a token that was cancelled before found no permit to release.</summary>
    public void ReleaseIfCancelled()
    {
        Chaos.Point("AdmittedRun.ReleaseIfCancelled");
        if (_cancellationToken.IsCancellationRequested)
        {
            Cancelled();
        }
    }

    /// <summary>The call was cancelled and gets no slot.</summary>
    public virtual void NeverQueued()
    {
    }

    /// <inheritdoc/>
    public abstract bool TryAbandon(CancellationToken stopToken);

    /// <summary>As <see cref="TryAbandon"/>, for a call that has never got a permit and waits no longer. Its token may cancel it at this moment: one of
    /// the two ends it.</summary>
    public virtual bool TryAbandonWaiting(CancellationToken stopToken) => TryAbandon(stopToken);

    /// <inheritdoc/>
    public void ReleasePermit()
    {
        _registration.Unregister();
        if (TryForgoPermit())
        {
            Pool.Permits!.Release();
        }
    }

    /// <summary>The call is not queued. Its task fails, on a thread of the built-in pool.</summary>
    public void Refuse(Exception exception)
    {
        _refusal = exception;
        BeginElsewhere();
    }

    /// <summary>Starts the function on the calling thread, under the pool's scheduler or with a context of the pool's.</summary>
    public abstract void RunHere();

    /// <summary>Starts the function in the item that waited for a permit.</summary>
    protected virtual void BeginGranted() => RunHere();

    /// <summary>Queues what runs, unless it was cancelled.</summary>
    protected abstract void Enqueue();

    /// <summary>Starts the function on the built-in pool, unless it was cancelled.</summary>
    protected abstract void BeginElsewhere();

    /// <summary>The function's first act: releases the permit. Nothing but the caller refers to the function any more.</summary>
    protected TDelegate Take<TDelegate>()
        where TDelegate : Delegate
    {
        Chaos.Point("AdmittedRun.Take");
        ReleasePermit();
        if (_refusal is not null)
        {
            throw _refusal;
        }

        ThreadCulture.ApplyToContext(); // a task has brought a context of its own
        var function = (TDelegate)_function!;
        _function = null;
        return function;
    }

    /// <summary>The function, which has not started, will throw this instead of running.</summary>
    protected void RefuseWith(Exception exception) => _refusal = exception;

    /// <summary>The token was cancelled before the function started.</summary>
    protected virtual void Cancelled() => ReleasePermit();
}
