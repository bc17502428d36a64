namespace NativeThreading.Testing;

// Work that waits for its time, by the Clock.
public sealed partial class ManualThreadPool
{
    private readonly Lock _waitsLock = new();
    private readonly List<ManualWait> _waits = []; // under the lock

    /// <summary>Gets the <see cref="Clock"/>.</summary>
    public TimeProvider TimeProvider => Clock;

    /// <inheritdoc/>
    public Task RunAfter(TimeSpan delay, Action action, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        return RunAfterAsync(Checked(delay), RunAsync, action, cancellationToken);
    }

    /// <inheritdoc/>
    public Task<TResult> RunAfter<TResult>(TimeSpan delay, Func<TResult> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return RunAfterAsync<Func<TResult>, TResult>(Checked(delay), RunAsync, function, cancellationToken);
    }

    /// <inheritdoc/>
    public Task RunAfter(TimeSpan delay, Func<Task> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return RunAfterAsync(Checked(delay), RunAsync, function, cancellationToken);
    }

    /// <inheritdoc/>
    public Task<TResult> RunAfter<TResult>(TimeSpan delay, Func<Task<TResult>> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return RunAfterAsync<Func<Task<TResult>>, TResult>(Checked(delay), RunAsync, function, cancellationToken);
    }

    /// <inheritdoc/>
    public Task RunEvery(TimeSpan period, Action action, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        return RunEvery(
            period,
            () =>
            {
                action();
                return Task.CompletedTask;
            },
            cancellationToken);
    }

    /// <inheritdoc/>
    public Task RunEvery(TimeSpan period, Func<Task> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        if ((long)period.TotalMilliseconds is < 1 or > ManualTimer.MaxMilliseconds)
        {
            throw ManualTimer.RangeError(nameof(period), period, $"between 1 and {ManualTimer.MaxMilliseconds} ms");
        }

        if (Volatile.Read(ref _isDraining) != 0)
        {
            throw ShutDownError();
        }

        return RunEveryAsync(period, function, cancellationToken);
    }

    /// <summary>Ends waits: those that end with the drain, or all.</summary>
    private int EndWaits(bool isStopped)
    {
        ManualWait[] ended;
        lock (_waitsLock)
        {
            ended = [.. _waits.Where(wait => isStopped || wait.EndsWithDrain)];
        }

        int cancelled = 0;
        foreach (ManualWait wait in ended)
        {
            bool byToken = isStopped && _stopToken.CanBeCanceled;
            cancelled += wait.Due.TrySetException(byToken ? StopError() : ShutDownError()) && byToken && wait.IsCall ? 1 : 0;
        }

        return cancelled;
    }

    private TimeSpan Checked(TimeSpan delay)
    {
        ThrowIfShutDown();
        return delay >= TimeSpan.Zero && delay.TotalMilliseconds < ManualTimer.MaxMilliseconds + 1
            ? delay
            : throw ManualTimer.RangeError(nameof(delay), delay, $"between 0 and {ManualTimer.MaxMilliseconds} ms");
    }

    private async Task RunAfterAsync<TDelegate>(
        TimeSpan delay, Func<TDelegate, CancellationToken, Task> run, TDelegate function, CancellationToken cancellationToken)
    {
        await new InPlace(WaitAsync(delay, endsWithDrain: Current != this, isCall: true, cancellationToken));
        await new InPlace(run(function, cancellationToken));
    }

    private async Task<TResult> RunAfterAsync<TDelegate, TResult>(
        TimeSpan delay, Func<TDelegate, CancellationToken, Task<TResult>> run, TDelegate function, CancellationToken cancellationToken)
    {
        await new InPlace(WaitAsync(delay, endsWithDrain: Current != this, isCall: true, cancellationToken));
        Task<TResult> running = run(function, cancellationToken);
        await new InPlace(running);
        return running.Result;
    }

    private async Task RunEveryAsync(TimeSpan period, Func<Task> function, CancellationToken cancellationToken)
    {
        long due = Clock.GetTimestamp();
        while (Volatile.Read(ref _isDraining) == 0)
        {
            due += (((Clock.GetTimestamp() - due) / period.Ticks) + 1) * period.Ticks;
            try
            {
                await new InPlace(WaitAsync(TimeSpan.FromTicks(due - Clock.GetTimestamp()), endsWithDrain: true, isCall: false, cancellationToken));
            }
            catch (ObjectDisposedException)
            {
                return;
            }

            bool hasBegun = false;
            Task run = RunAsync(
                () =>
                {
                    hasBegun = true;
                    return function();
                },
                CancellationToken.None);
            try
            {
                await new InPlace(run);
            }
            catch (QueueFullException) when (!hasBegun)
            {
                // The run is left out.
            }

            cancellationToken.ThrowIfCancellationRequested();
        }

        if (Volatile.Read(ref _isStopped) != 0 && _stopToken.CanBeCanceled)
        {
            throw StopError();
        }
    }

    /// <summary>Waits for the clock. What follows runs in the item of the timer, or where the wait was ended.</summary>
    private async Task WaitAsync(TimeSpan delay, bool endsWithDrain, bool isCall, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var wait = new ManualWait(endsWithDrain, isCall);
        lock (_waitsLock)
        {
            _waits.Add(wait);
        }

        using ITimer timer = Clock.CreateTimer(_ => wait.Due.TrySetResult(), null, delay, Timeout.InfiniteTimeSpan);
        using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister((_, token) => wait.Due.TrySetCanceled(token), null);
        try
        {
            await new InPlace(wait.Due.Task);
        }
        finally
        {
            lock (_waitsLock)
            {
                _waits.Remove(wait);
            }
        }
    }

    /// <param name="endsWithDrain">Whether it ends when the shutdown begins, or when the pool stops.</param>
    /// <param name="isCall">Whether a stop by token counts it as dropped.</param>
    private sealed class ManualWait(bool endsWithDrain, bool isCall)
    {
        public bool EndsWithDrain => endsWithDrain;

        public bool IsCall => isCall;

        public TaskCompletionSource Due { get; } = new();
    }
}
