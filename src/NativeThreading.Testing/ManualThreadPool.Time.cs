using NativeThreading.Queues;

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
        return RunAfterAsync(delay, RunAsync, action, cancellationToken);
    }

    /// <inheritdoc/>
    public Task<TResult> RunAfter<TResult>(TimeSpan delay, Func<TResult> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return RunAfterAsync<Func<TResult>, TResult>(delay, RunAsync, function, cancellationToken);
    }

    /// <inheritdoc/>
    public Task RunAfter(TimeSpan delay, Func<Task> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return RunAfterAsync(delay, RunAsync, function, cancellationToken);
    }

    /// <inheritdoc/>
    public Task<TResult> RunAfter<TResult>(TimeSpan delay, Func<Task<TResult>> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return RunAfterAsync<Func<Task<TResult>>, TResult>(delay, RunAsync, function, cancellationToken);
    }

    /// <inheritdoc/>
    public Task RunEvery(TimeSpan period, Action action, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        return RunEvery(this, period, action, cancellationToken);
    }

    /// <inheritdoc/>
    public Task RunEvery(TimeSpan period, Func<Task> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return RunEvery(this, period, function, cancellationToken);
    }

    /// <summary>Runs a function again and again.</summary>
    /// <param name="scheduler">The pool, or a view of it.</param>
    /// <param name="period">The period.</param>
    /// <param name="function">An action, or an async function.</param>
    /// <param name="cancellationToken">Ends the series.</param>
    internal Task RunEvery(IWorkScheduler scheduler, TimeSpan period, Delegate function, CancellationToken cancellationToken)
    {
        if ((long)period.TotalMilliseconds is < 1 or > ManualTimer.MaxMilliseconds)
        {
            throw ManualTimer.RangeError(nameof(period), period, $"between 1 and {ManualTimer.MaxMilliseconds} ms");
        }

        if (Volatile.Read(ref _isDraining) != 0)
        {
            throw ShutDownError();
        }

        return RunEveryAsync(scheduler, period, function, cancellationToken);
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

    private void ThrowUnlessDelay(TimeSpan delay)
    {
        ThrowIfShutDown();
        if (delay < TimeSpan.Zero || delay.TotalMilliseconds >= ManualTimer.MaxMilliseconds + 1)
        {
            throw ManualTimer.RangeError(nameof(delay), delay, $"between 0 and {ManualTimer.MaxMilliseconds} ms");
        }
    }

    /// <summary>Runs a function when its time has come.</summary>
    internal Task RunAfterAsync<TDelegate>(
        TimeSpan delay, Func<TDelegate, CancellationToken, Task> run, TDelegate function, CancellationToken cancellationToken)
    {
        ThrowUnlessDelay(delay);
        return RunAsync();

        async Task RunAsync()
        {
            await new InPlace(WaitAsync(delay, endsWithDrain: Current != this, isCall: true, cancellationToken));
            await new InPlace(ManualWorkItem.WhenDue(() => run(function, cancellationToken)));
        }
    }

    /// <inheritdoc cref="RunAfterAsync{TDelegate}"/>
    internal Task<TResult> RunAfterAsync<TDelegate, TResult>(
        TimeSpan delay, Func<TDelegate, CancellationToken, Task<TResult>> run, TDelegate function, CancellationToken cancellationToken)
    {
        ThrowUnlessDelay(delay);
        return RunAsync();

        async Task<TResult> RunAsync()
        {
            await new InPlace(WaitAsync(delay, endsWithDrain: Current != this, isCall: true, cancellationToken));
            Task<TResult> running = ManualWorkItem.WhenDue(() => run(function, cancellationToken));
            await new InPlace(running);
            return running.Result;
        }
    }

    private async Task RunEveryAsync(IWorkScheduler scheduler, TimeSpan period, Delegate function, CancellationToken cancellationToken)
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

            var call = new RecurringCall(function);
            Task run = ManualWorkItem.WhenDue(() => scheduler.RunAsync(call.Run, CancellationToken.None));
            try
            {
                await new InPlace(run);
            }
            catch (QueueFullException) when (!call.HasStarted)
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

    /// <param name="endsWithDrain">Whether it ends when the shutdown starts, or when the pool stops.</param>
    /// <param name="isCall">Whether a stop by token counts it as dropped.</param>
    private sealed class ManualWait(bool endsWithDrain, bool isCall)
    {
        public bool EndsWithDrain => endsWithDrain;

        public bool IsCall => isCall;

        public TaskCompletionSource Due { get; } = new();
    }

    /// <summary>One run of a series.</summary>
    /// <param name="function">An action, or an async function.</param>
    private sealed class RecurringCall(Delegate function) : IItemSubject
    {
        public Delegate Subject => function;

        public bool BeginsWork => true;

        public bool HasStarted { get; private set; }

        public Task Run()
        {
            HasStarted = true;
            if (function is Func<Task> operation)
            {
                return operation();
            }

            ((Action)function)();
            return Task.CompletedTask;
        }
    }
}
