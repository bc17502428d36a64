using System.Diagnostics.CodeAnalysis;
using NativeThreading.Platform;
using NativeThreading.Tasks;

namespace NativeThreading.Loops;

/// <summary>An async loop over a sequence. Each of its workers is an operation of the pool, which takes one item after the other.</summary>
/// <remarks>A worker that has got an item adds the next worker, until there are as many as may be at once.</remarks>
internal abstract class AsyncLoop<T>(IWorkScheduler scheduler, int most, Func<T, CancellationToken, ValueTask> body, CancellationToken token)
{
    private readonly UninterruptedLock _lock = new();
    private readonly TaskCompletionSource<NoResult> _outcome = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _stop = CancellationTokenSource.CreateLinkedTokenSource(token);
    private List<Exception>? _exceptions; // under the lock
    private OperationCanceledException? _stopped; // by a token that has stopped the pool
    private int _unstarted = most;
    private int _workers = 1;

    /// <summary>Starts the loop.</summary>
    public Task Start()
    {
        Interlocked.Decrement(ref _unstarted);
        AddWorker(isFirst: true);
        return _outcome.Task;
    }

    /// <summary>Takes the next item. Called by one worker at a time or by many, as the sequence needs it.</summary>
    protected abstract ValueTask<(bool IsTaken, T Item)> TakeAsync(CancellationToken stop);

    /// <summary>Disposes of the sequence.</summary>
    protected abstract ValueTask DisposeAsync();

    private void AddWorker(bool isFirst)
    {
        bool hasStarted = false;
        scheduler.RunAsync(
            () =>
            {
                hasStarted = true;
                return WorkAsync();
            },
            CancellationToken.None).WhenEnded(
            (task, _) =>
            {
                if (hasStarted)
                {
                    return;
                }

                // A full queue, or a shutdown, costs the loop a worker. The others run it, if there are others.
                if (task.IsCanceled)
                {
                    Volatile.Write(ref _stopped, TaskTransfer.ExceptionOf(task));
                    Fail(null);
                }
                else if (isFirst || task.Exception!.InnerException is not (QueueFullException or ObjectDisposedException))
                {
                    Fail(task.Exception!.InnerException);
                }

                _ = LeaveAsync();
            },
            this);
    }

    private async Task WorkAsync()
    {
        try
        {
            bool isAlone = true;
            while (!_stop.IsCancellationRequested)
            {
                (bool isTaken, T item) = await TakeAsync(_stop.Token).ConfigureAwait(true);
                if (!isTaken)
                {
                    break;
                }

                if (isAlone && Interlocked.Decrement(ref _unstarted) >= 0)
                {
                    Interlocked.Increment(ref _workers);
                    AddWorker(isFirst: false);
                }

                isAlone = false; // it adds one
                await body(item, _stop.Token).ConfigureAwait(true);
            }
        }
        catch (Exception exception)
        {
            Fail(exception);
        }

        await LeaveAsync().ConfigureAwait(true);
    }

    private void Fail(Exception? exception)
    {
        Keep(exception is null ? [] : [exception]);
        try
        {
            _stop.Cancel();
        }
        catch (AggregateException callbacks)
        {
            Keep([.. callbacks.InnerExceptions]);
        }
    }

    private void Keep(Exception[] exceptions)
    {
        if (exceptions.Length == 0)
        {
            return;
        }

        using (_lock.EnterScope())
        {
            (_exceptions ??= []).AddRange(exceptions);
        }
    }

    private async Task LeaveAsync()
    {
        if (Interlocked.Decrement(ref _workers) != 0)
        {
            return;
        }

        try
        {
            await DisposeAsync().ConfigureAwait(true);
        }
        catch (Exception exception)
        {
            (_exceptions ??= []).Add(exception);
        }

        _stop.Dispose();
        if (token.IsCancellationRequested)
        {
            _outcome.SetCanceled(token); // as Parallel.ForEachAsync does: exceptions are taken for consequences
        }
        else if (_exceptions is { } exceptions)
        {
            _outcome.SetException(exceptions);
        }
        else if (_stopped is { } stopped)
        {
            _outcome.SetCanceled(stopped);
        }
        else
        {
            _outcome.SetResult(default);
        }
    }
}

internal sealed class SyncSourceLoop<T>(
    IWorkScheduler scheduler, IEnumerator<T> items, int most, Func<T, CancellationToken, ValueTask> body, CancellationToken token)
    : AsyncLoop<T>(scheduler, most, body, token)
{
    private readonly UninterruptedLock _lock = new();

    protected override ValueTask<(bool IsTaken, T Item)> TakeAsync(CancellationToken stop)
    {
        using (_lock.EnterScope())
        {
            return new(!stop.IsCancellationRequested && items.MoveNext() ? (true, items.Current) : default);
        }
    }

    protected override ValueTask DisposeAsync()
    {
        items.Dispose();
        return default;
    }
}

[SuppressMessage("Design", "CA1001", Justification = "The loop disposes of it at its end.")]
internal sealed class AsyncSourceLoop<T>(
    IWorkScheduler scheduler, IAsyncEnumerable<T> source, int most, Func<T, CancellationToken, ValueTask> body, CancellationToken token)
    : AsyncLoop<T>(scheduler, most, body, token)
{
    private readonly SemaphoreSlim _turn = new(1, 1);
    private IAsyncEnumerator<T>? _items; // of the worker that has the turn

    protected override async ValueTask<(bool IsTaken, T Item)> TakeAsync(CancellationToken stop)
    {
        await _turn.WaitAsync(stop).ConfigureAwait(true);
        try
        {
            _items ??= source.GetAsyncEnumerator(stop);
            return await _items.MoveNextAsync().ConfigureAwait(true) ? (true, _items.Current) : default;
        }
        finally
        {
            _turn.Release();
        }
    }

    protected override async ValueTask DisposeAsync()
    {
        _turn.Dispose();
        if (_items is not null)
        {
            await _items.DisposeAsync().ConfigureAwait(true);
        }
    }
}
