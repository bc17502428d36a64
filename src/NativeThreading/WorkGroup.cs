using System.Diagnostics;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using NativeThreading.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Scheduling;
using NativeThreading.Tasks;

namespace NativeThreading;

/// <summary>Queues many items and waits for all of them once: fork-join on a <see cref="NativeThreadPool"/>.</summary>
/// <remarks>
/// <para>All members may be called from any thread at any time, also by an item of the group. The group is reusable: a wait returns whenever all
/// queued items have completed. The execution context flows to the items.</para>
/// <para>A worker of the pool that waits for the group runs items of this group meanwhile, and no other items. If none is left, it blocks. It
/// continues when other threads queue more items, or when another worker that holds some starts to wait for a group
/// itself. The items run as from the queue: in no task, and in their own contexts. If waits are nested thousands deep and the stack of the
/// worker is nearly used up, the worker runs no items: it counts as blocked at once, and another worker takes over.</para>
/// <para>An exception in an item does not end the process: the group keeps it, and the wait throws it.</para>
/// <para>A worker counts completed items in batches, so a worker that runs a thousand items changes the shared count a few times. It
/// reports a batch before it runs other items or becomes idle.</para>
/// </remarks>
/// <example>
/// <code>
/// var group = new WorkGroup(pool);
/// group.QueueRange(static part =&gt; Console.WriteLine(part), new[] { 1, 2, 3 });
/// group.Wait();
/// </code>
/// </example>
[DebuggerDisplay("{PendingCount} pending on {Pool.Name}")]
[DebuggerTypeProxy(typeof(GroupView))]
public sealed partial class WorkGroup
{
    private readonly UninterruptedLock _lock = new();
    private readonly WorkGroupErrors _errors;
    private readonly GroupContext _unflowed;
    private GroupCount _count;
    private int _awaited;
    private TaskCompletionSource? _done;
    private List<ExceptionDispatchInfo>? _exceptions;

    /// <summary>Creates a group whose items run on a pool.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="errors">The exception that a wait throws when items have failed: the first one, or all of them.</param>
    /// <exception cref="ArgumentNullException"><paramref name="pool"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="errors"/> is not a value of its type.</exception>
    public WorkGroup(NativeThreadPool pool, WorkGroupErrors errors = WorkGroupErrors.First)
    {
        ArgumentNullException.ThrowIfNull(pool);
        if (!Enum.IsDefined(errors))
        {
            throw new ArgumentOutOfRangeException(nameof(errors), errors, $"{nameof(errors)} must be First or All, but was {errors}.");
        }

        Pool = pool;
        _errors = errors;
        _unflowed = new GroupContext(this, flowed: null);
    }

    /// <summary>Gets the pool that runs the items.</summary>
    public NativeThreadPool Pool { get; }

    /// <summary>Gets the number of queued items that may not have completed. 0 means that all items have completed.</summary>
    public long PendingCount => _count.Pending;

    /// <summary>Queues one item. A worker of the pool queues into its own deque.</summary>
    /// <param name="callback">The callback to run. A worker calls it once.</param>
    /// <param name="state">The argument of the callback.</param>
    /// <typeparam name="TState">The type of the state; a value type costs an object per item.</typeparam>
    /// <remarks>The group keeps a reference to one callback that was queued from outside the pool, for as long as the group lives. It is the first
    /// callback queued twice in succession; until there is one, it is the most recent callback.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="callback"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool is shutting down, and the caller is not one of its workers.</exception>
    /// <exception cref="OutOfMemoryException">The pool has no thread and could not start one; nothing was queued.</exception>
    /// <exception cref="QueueFullException">The queue of the pool is full, its mode is <see cref="QueueFullMode.Reject"/>, and the caller is not one of its
    /// workers.</exception>
    public void Queue<TState>(Action<TState> callback, TState state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        Queue(WorkItem.CallbackOf(callback), WorkItem.StateOf(callback, state));
    }

    /// <summary>Queues one item unless the queue of the pool is full. A worker of the pool queues into its own deque, which is never full.</summary>
    /// <param name="callback">The callback to run.</param>
    /// <param name="state">The argument of the callback.</param>
    /// <typeparam name="TState">The type of the state; a value type costs an object per item.</typeparam>
    /// <returns><see langword="true"/> if the item was queued; <see langword="false"/> if <see cref="NativeThreadPool.QueueLimit"/> items wait.</returns>
    /// <inheritdoc cref="Queue{TState}(Action{TState}, TState)" path="/exception[not(@cref='T:NativeThreading.QueueFullException')]"/>
    public bool TryQueue<TState>(Action<TState> callback, TState state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        if (Pool.Admission is null || Worker.Current?.Pool == Pool)
        {
            Queue(callback, state);
            return true;
        }

        GroupContext context = FlowingContext();
        _count.Add(1);
        int published = 0;
        try
        {
            return Pool.Admission.TryEnqueueOfGroup(WorkItem.CallbackOf(callback), WorkItem.StateOf(callback, state), context, ref published);
        }
        finally
        {
            Completed(1 - published);
        }
    }

    /// <summary>
    /// Queues one item for each state. All of them share one count and one request for a worker. If the caller is not a worker of the pool, and
    /// the items are more than a few, they also share one entry of the queue, from which workers take one item at a time, in order.
    /// </summary>
    /// <param name="callback">The callback to run. Workers call it once for each state.</param>
    /// <param name="states">The states, copied before the method returns; may be empty.</param>
    /// <typeparam name="TState">The type of the states; a value type costs an object per item.</typeparam>
    /// <inheritdoc cref="Queue{TState}(Action{TState}, TState)" path="/exception"/>
    public void QueueRange<TState>(Action<TState> callback, ReadOnlySpan<TState> states)
    {
        ArgumentNullException.ThrowIfNull(callback);
        if (states.IsEmpty)
        {
            return;
        }

        GroupContext context = FlowingContext();

        // Counted before they are published. Otherwise the first item could complete the group before the other items count.
        _count.Add(states.Length);
        int published = 0;
        Chaos.Point("WorkGroup.QueueRange, counted");
        try
        {
            Pool.EnqueueBatch(callback, states, context, ref published);
        }
        catch
        {
            Completed(states.Length - published);
            throw;
        }
    }

    /// <summary>Queues one item for each state of an array, as the overload for spans.</summary>
    /// <param name="callback">The callback to run. Workers call it once for each state.</param>
    /// <param name="states">The states, copied before the method returns; may be empty.</param>
    /// <typeparam name="TState">The type of the states; a value type costs an object per item.</typeparam>
    /// <exception cref="ArgumentNullException"><paramref name="callback"/> or <paramref name="states"/> is null.</exception>
    /// <inheritdoc cref="Queue{TState}(Action{TState}, TState)" path="/exception[@cref='T:System.ObjectDisposedException']"/>
    public void QueueRange<TState>(Action<TState> callback, TState[] states)
    {
        ArgumentNullException.ThrowIfNull(states);
        QueueRange(callback, (ReadOnlySpan<TState>)states);
    }

    /// <summary>Queues one item for each state of a list or another collection, as the overload for spans.</summary>
    /// <param name="callback">The callback to run. Workers call it once for each state.</param>
    /// <param name="states">The states, such as a list; may be empty. All are read before the first item is queued: if the enumeration throws, no
    /// item is queued.</param>
    /// <typeparam name="TState">The type of the states; a value type costs an object per item.</typeparam>
    /// <exception cref="ArgumentNullException"><paramref name="callback"/> or <paramref name="states"/> is null.</exception>
    /// <inheritdoc cref="Queue{TState}(Action{TState}, TState)" path="/exception[@cref='T:System.ObjectDisposedException']"/>
    public void QueueRange<TState>(Action<TState> callback, IEnumerable<TState> states)
    {
        ArgumentNullException.ThrowIfNull(callback);
        ArgumentNullException.ThrowIfNull(states);
        QueueRange(callback, states is List<TState> list ? CollectionsMarshal.AsSpan(list) : [.. states]);
    }

    /// <summary>Waits until all items have completed. Blocks the calling thread; a worker of the pool runs items of the group meanwhile.</summary>
    /// <exception cref="AggregateException">The group has <see cref="WorkGroupErrors.All"/>, and items have failed. It contains their exceptions.</exception>
    /// <exception cref="InsufficientExecutionStackException">
    /// The stack of the calling worker is nearly used up, and no other worker may run in its place, because all that
    /// <see cref="NativeThreadPool.MaxThreads"/> and <see cref="NativeThreadPool.MaxBlockedThreads"/> allow wait in the
    /// same way. The items stay queued. A wait with a timeout does not throw this exception.
    /// </exception>
    /// <remarks>With <see cref="WorkGroupErrors.First"/> it throws the exception of the first failed item, with its original stack trace.</remarks>
    /// <example><code>
    /// var group = new WorkGroup(pool);
    /// group.QueueRange(static entry =&gt; Send(entry), entries.ToArray());
    /// group.Wait(); // a worker of the pool that waits here runs items of the group
    /// </code></example>
    public void Wait() => Wait(Timeout.InfiniteTimeSpan);

    /// <summary>Waits until all items have completed, for at most the given time.</summary>
    /// <param name="timeout">The longest wait: 0 or more, or <see cref="Timeout.InfiniteTimeSpan"/>.</param>
    /// <returns><see langword="true"/> if all items have completed; <see langword="false"/> if the time is over.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="timeout"/> is negative and not infinite.</exception>
    /// <inheritdoc cref="Wait()" path="/exception"/>
    /// <inheritdoc cref="Wait()" path="/remarks"/>
    public bool Wait(TimeSpan timeout)
    {
        if (timeout != Timeout.InfiniteTimeSpan)
        {
            OptionRange.ThrowIfNegative(nameof(timeout), timeout);
        }

        if (!IsDone && !HelpAndWait(timeout))
        {
            return false;
        }

        ThrowIfFailed();
        return true;
    }

    /// <summary>Waits for all items without blocking a thread.</summary>
    /// <param name="cancellationToken">A token that ends the wait, not the items.</param>
    /// <inheritdoc cref="Wait()" path="/exception[not(@cref='T:System.InsufficientExecutionStackException')]"/>
    /// <returns>A task that completes when all items have completed. It fails with the exceptions that <see cref="Wait()"/> throws, and is cancelled
    /// if the token is cancelled first.</returns>
    public async Task WaitAsync(CancellationToken cancellationToken = default)
    {
        Worker.Current?.GroupTally.Report();

        // A loop: when the task completes, the next items of the group may be queued already.
        while (!IsDone)
        {
            await WhenDone().WaitAsync(cancellationToken).ConfigureAwait(true);
        }

        ThrowIfFailed();
    }

    /// <summary>The exceptions that no wait has thrown yet; for a debugger, which cannot take the lock.</summary>
    internal Exception[] UntoldExceptions =>
        [.. (Volatile.Read(ref _exceptions)?.ToArray() ?? []).OfType<ExceptionDispatchInfo>().Select(static info => info.SourceException)];

    /// <summary>Whether workers of the pool may wait for the group without an item to run. It may also be set after such a wait has timed
    /// out.</summary>
    internal bool MayHaveSleepers => Volatile.Read(ref _sleep) is not null;

    internal bool IsDone => _count.IsDone;

    internal void Failed(Exception exception)
    {
        using (_lock.EnterScope())
        {
            (_exceptions ??= []).Add(ExceptionDispatchInfo.Capture(exception));
        }
    }

    /// <summary>An item was dropped because its pool was stopped.</summary>
    internal void Dropped(NativeThreadPool pool)
    {
        Failed(CancelledTask.StopError(pool.StopToken ?? default));
        Completed(1);
    }

    /// <summary>Counts a batch. The addition is a full fence: pairs with the exchanges in WhenDone and FallAsleep.</summary>
    internal void Completed(int count)
    {
        Chaos.Point("WorkGroup.Completed");
        if (count == 0)
        {
            return;
        }

        long ended = _count.End(count);
        Chaos.Point("WorkGroup.Completed, counted");
        if (Volatile.Read(ref _awaited) != 0 && _count.IsAll(ended))
        {
            CompleteWaiters();
        }
    }

    // Does not call QueueRange, whose code for spans of any type costs 10 ns more.
    private void Queue(Action<object?> callback, object? state)
    {
        GroupContext context = FlowingContext();
        _count.Add(1); // before it is published, as in QueueRange
        int published = 0;
        Chaos.Point("WorkGroup.Queue, counted");
        try
        {
            Pool.EnqueueOfGroup(callback, state, context, ref published);
        }
        catch
        {
            Completed(1 - published);
            throw;
        }
    }

    private GroupContext FlowingContext() =>
        DefaultContext.Flowing() is ExecutionContext flowing ? new GroupContext(this, flowing) : _unflowed;

    private void ThrowIfFailed()
    {
        List<ExceptionDispatchInfo>? exceptions;
        using (_lock.EnterScope())
        {
            exceptions = _exceptions;
            _exceptions = null; // reported once; the group can be used again
        }

        if (exceptions is null)
        {
            return;
        }

        if (_errors == WorkGroupErrors.First)
        {
            exceptions[0].Throw();
        }

        throw new AggregateException(exceptions.ConvertAll(static info => info.SourceException));
    }
}
