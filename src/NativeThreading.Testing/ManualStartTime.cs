using NativeThreading.Queues;
using NativeThreading.Tasks;

namespace NativeThreading.Testing;

/// <summary>Ends a call or a raw item that has not started when its time is up or one of its tokens is cancelled. It is the target of the delegate that
/// the task of a call has in place of the function.</summary>
internal sealed class ManualStartTime : IItemSubject, IExpiring
{
    private readonly ManualClock _clock;
    private readonly TimeSpan? _limit;
    private readonly CancellationTokenSource? _source;
    private readonly ITimer? _timer;
    private readonly long _queued;
    private int _hasExpired;

    /// <param name="clock">The clock of the pool.</param>
    /// <param name="options">The options, which have the time limit and a token.</param>
    /// <param name="function">The function of a call; <see langword="null"/> for a raw item.</param>
    /// <param name="token">The token of the call.</param>
    public ManualStartTime(ManualClock clock, WorkOptions options, Delegate? function, CancellationToken token)
    {
        (_clock, Subject) = (clock, function);
        Token = token.CanBeCanceled ? token : options.CancellationToken;
        _limit = Expires(options) ? options.StartWithin : null;
        if (_limit is null && (!token.CanBeCanceled || !options.CancellationToken.CanBeCanceled))
        {
            return;
        }

        _source = CancellationTokenSource.CreateLinkedTokenSource(token, options.CancellationToken);
        Token = _source.Token;
        if (_limit is { } limit)
        {
            _queued = clock.GetTimestamp();
            _timer = clock.CreateTimer(static start => ((ManualStartTime)start!).Expire(), this, limit, Timeout.InfiniteTimeSpan);
        }
    }

    /// <summary>The token of the task.</summary>
    public CancellationToken Token { get; }

    /// <inheritdoc/>
    public Delegate? Subject { get; }

    /// <inheritdoc/>
    public bool BeginsWork => true;

    /// <inheritdoc/>
    public bool HasExpired => Volatile.Read(ref _hasExpired) != 0;

    /// <summary>Whether the options limit the time until the start.</summary>
    public static bool Expires(WorkOptions options) => options.StartWithin is { } limit && limit != Timeout.InfiniteTimeSpan;

    /// <summary>Calls an action.</summary>
    public void Call()
    {
        Begin();
        ((Action)Subject!)();
    }

    /// <summary>Calls a function.</summary>
    public TResult Call<TResult>()
    {
        Begin();
        return ((Func<TResult>)Subject!)();
    }

    /// <summary>The first act of a raw item. The callback of the timer may wait after it in the queue.</summary>
    public bool TryBegin()
    {
        _timer?.Dispose();
        if (_limit is { } limit && _clock.GetElapsedTime(_queued) >= limit)
        {
            Expire();
        }

        return !Token.IsCancellationRequested;
    }

    private void Expire()
    {
        if (!Token.IsCancellationRequested)
        {
            Volatile.Write(ref _hasExpired, 1); // first: code that sees the task end asks for it
            _source!.Cancel();
        }
    }

    /// <summary>The first act of a task.</summary>
    private void Begin()
    {
        if (!TryBegin())
        {
            throw new OperationCanceledException(Token);
        }
    }
}
