using System.Diagnostics;
using System.Runtime.ExceptionServices;
using NativeThreading.Queues;

namespace NativeThreading.Tasks;

/// <summary>Ends a call that has not started when its time is up or one of its tokens is cancelled: it cancels the token of the call's task. It is
/// the target of the delegate that the task calls in place of the function.</summary>
internal sealed class StartLimit : IItemSubject, IExpiring, IDisposable
{
    private const int Waiting = 0;
    private const int Started = 1;
    private const int Ended = 2;

    private readonly NativeThreadPool _pool;
    private readonly Delegate _function;
    private readonly CancellationTokenSource _source = new();
    private readonly long _queued = Stopwatch.GetTimestamp();
    private readonly TimeSpan? _limit;
    private readonly Timer? _timer;
    private readonly CancellationTokenRegistration _first;
    private readonly CancellationTokenRegistration _second;
    private int _state;
    private bool _hasExpired;

    public StartLimit(NativeThreadPool pool, Delegate function, WorkOptions options, CancellationToken cancellationToken)
    {
        (_pool, _function) = (pool, function);
        _first = options.CancellationToken.UnsafeRegister(static limit => ((StartLimit)limit!).End(), this);
        _second = cancellationToken.UnsafeRegister(static limit => ((StartLimit)limit!).End(), this);
        if (options.Expires)
        {
            _limit = options.StartWithin;
            using AsyncFlowControl suppressed = ExecutionContext.IsFlowSuppressed() ? default : ExecutionContext.SuppressFlow();
            _timer = new Timer(static limit => ((StartLimit)limit!).Expire(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            _timer.Change(options.StartWithin!.Value, Timeout.InfiniteTimeSpan); // not in the constructor: it may fire before the field is set
        }
    }

    /// <summary>The token of the task.</summary>
    public CancellationToken Token => _source.Token;

    /// <inheritdoc/>
    public bool HasExpired => Volatile.Read(ref _hasExpired);

    /// <inheritdoc/>
    public Delegate Subject => _function.Target is RawCall raw ? raw.Subject : _function;

    /// <inheritdoc/>
    public bool BeginsWork => true;

    /// <summary>Calls an action.</summary>
    public void Call()
    {
        Begin();
        ((Action)_function)();
    }

    /// <summary>Calls a function.</summary>
    public TResult Call<TResult>()
    {
        Begin();
        return ((Func<TResult>)_function)();
    }

    /// <summary>Queues the call. If that throws, no call is left to end.</summary>
    public TTask DisposeIfRefused<TTask>(Func<TTask> queue)
    {
        try
        {
            return queue();
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>Ends the time limit, unless the call has ended meanwhile.</summary>
    public void Dispose()
    {
        if (Interlocked.CompareExchange(ref _state, Started, Waiting) == Waiting) // otherwise another thread is about to cancel the source
        {
            Unregister();
            _source.Dispose();
        }
    }

    /// <summary>Called first by the function. A timer may be late: an expired call does not start.</summary>
    private void Begin()
    {
        if (_limit is { } limit && Stopwatch.GetElapsedTime(_queued) >= limit)
        {
            Expire();
        }

        if (Interlocked.CompareExchange(ref _state, Started, Waiting) != Waiting)
        {
            _source.Cancel(); // the other thread may be about to
            throw new OperationCanceledException(Token);
        }

        Unregister();
    }

    private void Expire()
    {
        if (TryClaim())
        {
            Volatile.Write(ref _hasExpired, true);
            _pool.NoteExpired(); // first: code that sees the end of the task finds the call counted
            Cancel();
        }
    }

    private void End()
    {
        if (TryClaim())
        {
            Cancel();
        }
    }

    private bool TryClaim() => Interlocked.CompareExchange(ref _state, Ended, Waiting) == Waiting;

    private void Cancel()
    {
        Chaos.Point("StartLimit.Cancel");
        Unregister();
        _source.Cancel();
    }

    private void Unregister()
    {
        _timer?.Dispose();
        _first.Unregister();
        _second.Unregister();
    }
}

/// <summary>A raw item that may end before it starts. Its exception is treated like that of any raw item: the pool's handler gets it, or it ends the
/// process.</summary>
internal sealed class RawCall(NativeThreadPool pool, Action<object?> callback, object? state) : IItemSubject
{
    /// <inheritdoc/>
    public Delegate Subject => callback;

    /// <inheritdoc/>
    public bool BeginsWork => true;

    public void Call()
    {
        try
        {
            callback(state);
        }
        catch (Exception exception) when (pool.Handles(exception))
        {
            // The item has ended.
        }
        catch (Exception exception)
        {
            // A task would keep the exception. Thrown on a thread without a handler, it ends the process, as the framework does for async void.
            ThreadPool.UnsafeQueueUserWorkItem(static exception => ((ExceptionDispatchInfo)exception!).Throw(), ExceptionDispatchInfo.Capture(exception));
        }
    }
}

/// <summary>The target of the delegate of a call that may end before it starts.</summary>
internal interface IExpiring
{
    /// <summary>Whether the call has ended because its time was up.</summary>
    bool HasExpired { get; }
}
