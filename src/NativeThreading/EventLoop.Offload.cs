using System.Runtime.CompilerServices;
using NativeThreading.Async;
using NativeThreading.EventLoops;
using NativeThreading.Threads;

namespace NativeThreading;

/// <summary>Offloading: work that would hold up the loop runs on a pool, and its completion on the loop.</summary>
public sealed partial class EventLoop
{
    private readonly OffloadItemCache _offloadItems = new();
    private long _begunOnLoop; // by the loop's thread alone
    private long _begunElsewhere;
    private long _completed; // by the loop's thread alone

    /// <summary>Completions that are still to come. Exact on the loop's thread.</summary>
    private long OutstandingOffloads => _begunOnLoop + Volatile.Read(ref _begunElsewhere) - _completed;

    /// <summary>
    /// Runs <paramref name="work"/> on a pool and then <paramref name="completed"/> on this loop, both in the caller's
    /// execution context. Allocates nothing in steady use. Completions that come close together cost one wake.
    /// </summary>
    /// <param name="pool">Where the work runs.</param>
    /// <param name="work">
    /// Called once, by a worker of the pool, with <paramref name="state"/>. Its unhandled exception is treated as that of a raw
    /// work item of the pool; if the pool's handler lets the process live, <paramref name="completed"/> runs all the same.
    /// </param>
    /// <param name="completed">
    /// Called once, on the loop's thread, with <paramref name="state"/>; not called where the pool drops the work, because the
    /// token of its shutdown was cancelled.
    /// </param>
    /// <param name="state">Passed to both.</param>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="pool"/>, <paramref name="work"/> or <paramref name="completed"/> is null.
    /// </exception>
    /// <exception cref="ObjectDisposedException">
    /// The loop has stopped; or the pool or the loop is shutting down, and the caller is not one of its threads.
    /// </exception>
    /// <exception cref="OutOfMemoryException">The pool has no thread and could not start one; nothing was queued.</exception>
    public void Offload(NativeThreadPool pool, Action<object?> work, Action<object?> completed, object? state)
    {
        ArgumentNullException.ThrowIfNull(pool);
        ArgumentNullException.ThrowIfNull(work);
        ArgumentNullException.ThrowIfNull(completed);
        bool isInLoop = IsInLoop;
        if (!isInLoop)
        {
            BeforeEntry();
        }

        ExecutionContext? context = DefaultContext.Flowing();
        OffloadItem item = _offloadItems.Take(isInLoop);
        item.Set(this, work, completed, state, context);
        CountBegun(isInLoop, 1);
        Chaos.Point("EventLoop.Offload, counted");
        try
        {
            ThrowIfEntryIsOver();
            pool.EnqueueCaptured(OffloadItem.RunOnPool, item, context, mayBlock: !isInLoop);
        }
        catch
        {
            OffloadDropped();
            _offloadItems.Return(item, isInLoop);
            throw;
        }
    }

    /// <summary>Runs an action on a pool; the task completes on this loop.</summary>
    /// <param name="pool">Where the work runs.</param>
    /// <param name="work">What to run there.</param>
    /// <param name="cancellationToken">Cancels the operation if it has not begun.</param>
    /// <returns>Completes on the loop when the work has ended; awaited there, the method goes on at once. Continuations of
    /// other threads do not run on the loop.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="pool"/> or <paramref name="work"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The loop has stopped; or the pool or the loop is shutting down, and the caller is
    /// not one of its threads.</exception>
    /// <exception cref="OutOfMemoryException">The pool has no thread and could not start one; nothing was queued.</exception>
    public Task OffloadAsync(NativeThreadPool pool, Action work, CancellationToken cancellationToken = default) =>
        OffloadAsync<NoResult, Action>(
            pool, work, static (pool, work, token) => pool.QueueLimit is null ? pool.Run(work, token) : pool.RunAsync(work, token), cancellationToken);

    /// <summary>Runs a function on a pool; the task completes on this loop.</summary>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <inheritdoc cref="OffloadAsync(NativeThreadPool, Action, CancellationToken)"/>
    public Task<TResult> OffloadAsync<TResult>(NativeThreadPool pool, Func<TResult> work, CancellationToken cancellationToken = default) =>
        OffloadAsync<TResult, Func<TResult>>(
            pool, work, static (pool, work, token) => pool.QueueLimit is null ? pool.Run(work, token) : pool.RunAsync(work, token), cancellationToken);

    /// <summary>Runs an async function on a pool, where its awaits resume; the task completes on this loop.</summary>
    /// <inheritdoc cref="OffloadAsync(NativeThreadPool, Action, CancellationToken)"/>
    public Task OffloadAsync(NativeThreadPool pool, Func<Task> work, CancellationToken cancellationToken = default) =>
        OffloadAsync<NoResult, Func<Task>>(
            pool, work, static (pool, work, token) => pool.QueueLimit is null ? pool.Run(work, token) : pool.RunAsync(work, token), cancellationToken);

    /// <summary>Runs an async function on a pool, where its awaits resume; the task completes on this loop.</summary>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <inheritdoc cref="OffloadAsync(NativeThreadPool, Action, CancellationToken)"/>
    public Task<TResult> OffloadAsync<TResult>(NativeThreadPool pool, Func<Task<TResult>> work, CancellationToken cancellationToken = default) =>
        OffloadAsync<TResult, Func<Task<TResult>>>(
            pool, work, static (pool, work, token) => pool.QueueLimit is null ? pool.Run(work, token) : pool.RunAsync(work, token), cancellationToken);

    /// <summary>The pool refused or dropped the work: no completion will come.</summary>
    internal void OffloadDropped()
    {
        bool isInLoop = IsInLoop;
        CountBegun(isInLoop, -1);
        if (!isInLoop && IsDraining)
        {
            PostContinuation(s_look, null); // the draining loop may wait for nothing else
        }
    }

    /// <summary>The completion runs now. If it has outlived the loop, nothing is counted any more.</summary>
    internal void OffloadCompleted()
    {
        if (IsInLoop)
        {
            _completed++;
        }
    }

    internal void OffloadCompleted(OffloadItem item)
    {
        bool isInLoop = IsInLoop;
        _completed += isInLoop ? 1 : 0;
        _offloadItems.Return(item, isInLoop);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void CountBegun(bool isInLoop, int change)
    {
        if (isInLoop)
        {
            _begunOnLoop += change;
        }
        else
        {
            Interlocked.Add(ref _begunElsewhere, change);
        }
    }

    private Task<TResult> OffloadAsync<TResult, TWork>(
        NativeThreadPool pool, TWork work, Func<NativeThreadPool, TWork, CancellationToken, Task> run, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(pool);
        ArgumentNullException.ThrowIfNull(work);
        BeforeEntry();
        var operation = new OffloadOperation<TResult>(this);
        CountBegun(IsInLoop, 1);
        try
        {
            ThrowIfEntryIsOver();
            return operation.Start(run(pool, work, cancellationToken));
        }
        catch
        {
            OffloadDropped();
            throw;
        }
    }
}
