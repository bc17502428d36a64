using System.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Queues;

namespace NativeThreading;

/// <summary>Queues many functions and waits once for the results of all of them. The results have the order in which the functions were queued.</summary>
/// <typeparam name="TResult">The type of the results.</typeparam>
/// <remarks>All members may be called from any thread at any time, as with a <see cref="WorkGroup"/>, which runs the functions. A wait takes the results: after
/// it the group is empty and can be used again. If waits overlap, the first one takes the results, and the others return an empty array.</remarks>
/// <example>
/// <code>
/// var lengths = new WorkGroup&lt;int&gt;(pool);
/// lengths.Queue(static text =&gt; text.Length, "report");
/// int[] all = await lengths.WaitAsync();
/// </code>
/// </example>
[DebuggerDisplay("{PendingCount} pending on {Pool.Name}")]
public sealed class WorkGroup<TResult>
{
    private readonly UninterruptedLock _lock = new();
    private readonly WorkGroup _group;
    private readonly CancellationToken _token;
    private List<Part> _parts = []; // under the lock

    /// <summary>Creates a group whose functions run on a pool.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="errors">The exception that a wait throws when functions have failed: the first one, or all of them.</param>
    /// <param name="cancellationToken">A token after whose cancellation no further function starts. A wait then throws an
    /// <see cref="OperationCanceledException"/>.</param>
    /// <exception cref="ArgumentNullException"><paramref name="pool"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="errors"/> is not a value of its type.</exception>
    public WorkGroup(NativeThreadPool pool, WorkGroupErrors errors = WorkGroupErrors.First, CancellationToken cancellationToken = default)
    {
        _group = new WorkGroup(pool, errors);
        _token = cancellationToken;
    }

    /// <summary>Gets the pool on which the functions run.</summary>
    public NativeThreadPool Pool => _group.Pool;

    /// <summary>Gets the number of functions that were queued and are not known to have completed; 0 if all have completed.</summary>
    public long PendingCount => _group.PendingCount;

    /// <summary>Queues a function.</summary>
    /// <param name="function">The function to run.</param>
    /// <param name="state">The argument of the function.</param>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <exception cref="QueueFullException">The queue of the pool is full, its mode is <see cref="QueueFullMode.Reject"/>, and the caller is not one of its
    /// workers.</exception>
    /// <exception cref="ObjectDisposedException">The pool is shutting down, and the caller is not one of its workers.</exception>
    /// <exception cref="OutOfMemoryException">The pool has no thread and could not start one; nothing was queued.</exception>
    public void Queue<TState>(Func<TState, TResult> function, TState state) =>
        Add(function, state, static (group, part) =>
        {
            group.Queue(static part => part.Run(), part);
            return true;
        });

    /// <summary>Queues a function unless the queue of the pool is full.</summary>
    /// <returns><see langword="true"/> if the function was queued; <see langword="false"/> if <see cref="NativeThreadPool.QueueLimit"/> items wait.</returns>
    /// <inheritdoc cref="Queue{TState}(Func{TState, TResult}, TState)" path="/*[not(self::summary) and not(@cref='T:NativeThreading.QueueFullException')]"/>
    public bool TryQueue<TState>(Func<TState, TResult> function, TState state) =>
        Add(function, state, static (group, part) => group.TryQueue(static part => part.Run(), part));

    /// <summary>Queues a function with options.</summary>
    /// <param name="function">The function to run.</param>
    /// <param name="state">The argument of the function.</param>
    /// <param name="options">The options. If the function expires, or its token is cancelled, before it starts, a wait throws an
    /// <see cref="OperationCanceledException"/>.</param>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <inheritdoc cref="Queue{TState}(Func{TState, TResult}, TState)" path="/exception"/>
    /// <example><code>
    /// var lengths = new WorkGroup&lt;int&gt;(pool);
    /// lengths.Queue(static text =&gt; text.Length, "report", new WorkOptions { StartWithin = TimeSpan.FromSeconds(2) });
    /// int[] all = await lengths.WaitAsync();
    /// </code></example>
    public void Queue<TState>(Func<TState, TResult> function, TState state, WorkOptions options) =>
        Add(function, state, (group, part) =>
        {
            group.Queue(static part => part.Run(), part, options);
            return true;
        });

    /// <summary>Queues a function with options unless the queue of the pool is full.</summary>
    /// <returns><see langword="true"/> if the function was queued; <see langword="false"/> if <see cref="NativeThreadPool.QueueLimit"/> items wait.</returns>
    /// <inheritdoc cref="Queue{TState}(Func{TState, TResult}, TState, WorkOptions)" path="/*[not(self::summary) and not(@cref='T:NativeThreading.QueueFullException')]"/>
    public bool TryQueue<TState>(Func<TState, TResult> function, TState state, WorkOptions options) =>
        Add(function, state, (group, part) => group.TryQueue(static part => part.Run(), part, options));

    /// <summary>Waits until all functions have completed.</summary>
    /// <returns>The results, in the order in which the functions were queued.</returns>
    /// <exception cref="OperationCanceledException">The token of the group was cancelled before all functions had started.</exception>
    /// <inheritdoc cref="WorkGroup.Wait()" path="/*[not(self::summary)]"/>
    public TResult[] Wait()
    {
        try
        {
            _group.Wait();
        }
        catch
        {
            Take();
            throw;
        }

        return Take();
    }

    /// <summary>Waits for all functions without blocking a thread.</summary>
    /// <param name="cancellationToken">A token that ends the wait, not the functions.</param>
    /// <returns>A task with the results, in the order in which the functions were queued. It completes when all functions have completed. It fails with
    /// the exceptions that <see cref="Wait()"/> throws, and is cancelled if the token is cancelled first.</returns>
    public async Task<TResult[]> WaitAsync(CancellationToken cancellationToken = default)
    {
        try
        {
            await _group.WaitAsync(cancellationToken).ConfigureAwait(true);
        }
        catch when (PendingCount == 0)
        {
            Take();
            throw;
        }

        return Take();
    }

    private bool Add<TState>(Func<TState, TResult> function, TState state, Func<WorkGroup, Part, bool> queue)
    {
        ArgumentNullException.ThrowIfNull(function);
        var part = new Part<TState>(function, state, _token);
        using (_lock.EnterScope())
        {
            _parts.Add(part); // before it is queued: the results have the order of the calls
        }

        bool isQueued = false;
        try
        {
            isQueued = queue(_group, part);
        }
        finally
        {
            if (!isQueued)
            {
                using (_lock.EnterScope())
                {
                    _parts.Remove(part);
                }
            }
        }

        return isQueued;
    }

    private TResult[] Take()
    {
        using (_lock.EnterScope())
        {
            List<Part> parts = _parts;
            _parts = [];
            return [.. parts.Select(static part => part.Result)];
        }
    }

    private abstract class Part : IItemSubject
    {
        public abstract Delegate Subject { get; }

        public bool BeginsWork => false;

        public TResult Result { get; protected set; } = default!;

        public abstract void Run();
    }

    private sealed class Part<TState>(Func<TState, TResult> function, TState state, CancellationToken token) : Part
    {
        public override Delegate Subject => function;

        public override void Run()
        {
            token.ThrowIfCancellationRequested();
            Result = function(state);
        }
    }
}
