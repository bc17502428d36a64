using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using NativeThreading.Diagnostics;
using NativeThreading.Keyed;
using NativeThreading.Queues;
using NativeThreading.Tasks;

namespace NativeThreading;

/// <summary>
/// Runs items with a key on a pool. Items of one key run one at a time, in the order of the calls. Items of different keys run side by side, and
/// the keys take turns. No thread waits.
/// </summary>
/// <remarks>
/// <para>All members may be called from any thread at any time. A queue keeps nothing of a key without items, owns no thread, and needs no disposal.</para>
/// <para>An async function of <c>Run</c> keeps its turn until its task has completed. Its awaits resume on the pool.</para>
/// <para>A key runs up to 64 items or 50 µs of items for each unit of its weight, and then lets other keys run. On a scheduler without threads, it runs
/// one item for each unit of its weight.</para>
/// </remarks>
/// <typeparam name="TKey">The type of the keys.</typeparam>
/// <example>
/// <code>
/// var customers = new KeyedQueue&lt;string&gt;(pool);
/// await customers.Run("customer 1", () =&gt; ImportAsync());
/// </code>
/// </example>
[DebuggerDisplay("{KeyCount} keys on {WorkScheduler.Name}")]
[SuppressMessage("Naming", "CA1711", Justification = "It is a queue.")]
[SuppressMessage("Naming", "CA1716", Justification = "The parameter is called what Task.Run calls it.")]
public sealed class KeyedQueue<TKey>
    where TKey : notnull
{
    private const int LeastWeight = 1;
    private const int MostWeight = 1_000;

    private readonly KeyedTarget _target;
    private readonly KeyedMap<TKey> _map;
    private readonly Func<TKey, int>? _weightOf;
    private readonly int _most;
    private readonly int _limit;

    /// <summary>Creates a queue.</summary>
    /// <param name="scheduler">The pool that runs the items.</param>
    /// <param name="maxConcurrencyPerKey">The most items of one key that run at once; 1 or more. With 1, items of a key never overlap. With more, they start in
    /// order.</param>
    /// <param name="limitPerKey">The most items of one key that may wait; 1 or more, or <see langword="null"/> for no limit.</param>
    /// <param name="weightOf">A function that returns the weight of a key, between 1 and 1000, or <see langword="null"/> if all keys weigh 1. The queue calls it
    /// on the calling thread whenever a key becomes active. A key of weight 3 runs three times as much in one turn.</param>
    /// <param name="comparer">The comparer of the keys, or <see langword="null"/> for the default comparer.</param>
    /// <exception cref="ArgumentNullException"><paramref name="scheduler"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">A number is less than 1.</exception>
    public KeyedQueue(
        IWorkScheduler scheduler,
        int maxConcurrencyPerKey = 1,
        int? limitPerKey = null,
        Func<TKey, int>? weightOf = null,
        IEqualityComparer<TKey>? comparer = null)
    {
        ArgumentNullException.ThrowIfNull(scheduler);
        OptionRange.ThrowUnlessInRange(nameof(maxConcurrencyPerKey), maxConcurrencyPerKey, 1, int.MaxValue);
        OptionRange.ThrowUnlessInRange(nameof(limitPerKey), limitPerKey ?? 1, 1, int.MaxValue);
        (_most, _limit, _weightOf) = (maxConcurrencyPerKey, limitPerKey ?? int.MaxValue, weightOf);
        _target = new KeyedTarget(scheduler);
        _map = new KeyedMap<TKey>(comparer);
    }

    /// <summary>Gets the pool that runs the items.</summary>
    public IWorkScheduler WorkScheduler => _target.Scheduler;

    /// <summary>Gets the number of keys that have waiting or running items: a snapshot.</summary>
    public int KeyCount => _map.Count;

    /// <summary>Queues a callback. The execution context flows to it.</summary>
    /// <param name="key">The key.</param>
    /// <param name="callback">The callback to run. If it throws, the pool handles the exception like that of any of its callbacks.</param>
    /// <param name="state">The argument of the callback.</param>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> or <paramref name="callback"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The weight of the key is out of range.</exception>
    /// <exception cref="QueueFullException">As many items of the key wait as the limit allows, or the queue of the pool is full.</exception>
    /// <exception cref="ObjectDisposedException">The pool is shutting down, and the caller is not one of its workers.</exception>
    /// <exception cref="OutOfMemoryException">The pool has no thread and could not start one; nothing was queued.</exception>
    public void Queue<TState>(TKey key, Action<TState> callback, TState state)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(callback);
        if (!TryPush(key, callback, state, out KeyedLine line))
        {
            throw line.FullError();
        }
    }

    /// <summary>Queues a callback unless as many items of the key wait as the limit allows.</summary>
    /// <returns><see langword="true"/> if the callback was queued; <see langword="false"/> if the limit of the key is reached.</returns>
    /// <exception cref="QueueFullException">The queue of the pool is full.</exception>
    /// <inheritdoc cref="Queue{TState}(TKey, Action{TState}, TState)" path="/*[not(self::summary) and not(@cref='T:NativeThreading.QueueFullException')]"/>
    public bool TryQueue<TState>(TKey key, Action<TState> callback, TState state)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(callback);
        return TryPush(key, callback, state, out _);
    }

    /// <summary>Runs an action as an item of a key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="action">The action to run.</param>
    /// <param name="cancellationToken">A token that cancels the call at once if its function has not started.</param>
    /// <returns>A task with the outcome. Code that awaits it never resumes inside the turn of the key.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> or <paramref name="action"/> is null.</exception>
    /// <exception cref="InvalidOperationException">
    /// An item of the key makes the call, directly or through calls of <c>Run</c> for other keys. It would wait for itself. The call throws also if
    /// the item does not await it; use <see cref="Queue{TState}(TKey, Action{TState}, TState)"/> for such calls.
    /// </exception>
    /// <inheritdoc cref="Queue{TState}(TKey, Action{TState}, TState)" path="/exception[not(@cref='T:System.ArgumentNullException')]"/>
    /// <example><code>
    /// var customers = new KeyedQueue&lt;string&gt;(pool);
    /// await customers.Run("customer 7", () =&gt; Send(message), token); // after the earlier items of that customer
    /// </code></example>
    public Task Run(TKey key, Action action, CancellationToken cancellationToken = default) =>
        EnterChecked<NoResult>(key, action, isAsync: false, KeyedEntry.Throws, cancellationToken);

    /// <summary>Runs a function as an item of a key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="function">The function to run.</param>
    /// <param name="cancellationToken">A token that cancels the call at once if its function has not started.</param>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> or <paramref name="function"/> is null.</exception>
    /// <inheritdoc cref="Run(TKey, Action, CancellationToken)" path="/*[self::returns or self::exception[not(@cref='T:System.ArgumentNullException')]]"/>
    /// <returns>A task with the result of the function. It completes when the function has completed, or when the token cancels it before it starts.</returns>
    public Task<TResult> Run<TResult>(TKey key, Func<TResult> function, CancellationToken cancellationToken = default) =>
        EnterChecked<TResult>(key, function, isAsync: false, KeyedEntry.Throws, cancellationToken);

    /// <summary>Runs an async function as an item of a key. The next item of the key starts when the function's task has completed.</summary>
    /// <inheritdoc cref="Run{TResult}(TKey, Func{TResult}, CancellationToken)"/>
    public Task Run(TKey key, Func<Task> function, CancellationToken cancellationToken = default) =>
        EnterChecked<NoResult>(key, function, isAsync: true, KeyedEntry.Throws, cancellationToken);

    /// <inheritdoc cref="Run(TKey, Func{Task}, CancellationToken)"/>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    public Task<TResult> Run<TResult>(TKey key, Func<Task<TResult>> function, CancellationToken cancellationToken = default) =>
        EnterChecked<TResult>(key, function, isAsync: true, KeyedEntry.Throws, cancellationToken);

    /// <summary>Runs an action as an item of a key. Exceptions of a full queue and of a shutdown are stored in the task.</summary>
    /// <remarks>If the queue of the pool is full and its mode is <see cref="QueueFullMode.Wait"/>, the call waits for a permit without a thread.</remarks>
    /// <inheritdoc cref="Run(TKey, Action, CancellationToken)" path="/*[not(self::summary)]"/>
    public Task RunAsync(TKey key, Action action, CancellationToken cancellationToken = default) =>
        EnterChecked<NoResult>(key, action, isAsync: false, KeyedEntry.InTask, cancellationToken);

    /// <summary>Runs a function as an item of a key. Exceptions of a full queue and of a shutdown are stored in the task.</summary>
    /// <inheritdoc cref="Run{TResult}(TKey, Func{TResult}, CancellationToken)" path="/*[not(self::summary)]"/>
    /// <inheritdoc cref="RunAsync(TKey, Action, CancellationToken)" path="/remarks"/>
    public Task<TResult> RunAsync<TResult>(TKey key, Func<TResult> function, CancellationToken cancellationToken = default) =>
        EnterChecked<TResult>(key, function, isAsync: false, KeyedEntry.InTask, cancellationToken);

    /// <summary>Runs an async function as an item of a key. Exceptions of a full queue and of a shutdown are stored in the task.</summary>
    /// <inheritdoc cref="Run(TKey, Func{Task}, CancellationToken)" path="/*[not(self::summary)]"/>
    /// <inheritdoc cref="RunAsync(TKey, Action, CancellationToken)" path="/remarks"/>
    public Task RunAsync(TKey key, Func<Task> function, CancellationToken cancellationToken = default) =>
        EnterChecked<NoResult>(key, function, isAsync: true, KeyedEntry.InTask, cancellationToken);

    /// <inheritdoc cref="RunAsync(TKey, Func{Task}, CancellationToken)"/>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    public Task<TResult> RunAsync<TResult>(TKey key, Func<Task<TResult>> function, CancellationToken cancellationToken = default) =>
        EnterChecked<TResult>(key, function, isAsync: true, KeyedEntry.InTask, cancellationToken);

    private Task<TResult> EnterChecked<TResult>(
        TKey key, Delegate? function, bool isAsync, KeyedEntry entry, CancellationToken token, [CallerArgumentExpression(nameof(function))] string name = "")
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(function, name);
        return _target.Observation is { } observation
            ? EnterObserved<TResult>(observation, key, function, isAsync, entry, token)
            : Enter<TResult>(key, function, isAsync, entry, token);
    }

    private Task<TResult> EnterObserved<TResult>(
        WorkObservation observation, TKey key, Delegate function, bool isAsync, KeyedEntry entry, CancellationToken token) => ObservedCall.Run(
        observation,
        function,
        options: null,
        key,
        call => Enter<TResult>(key, isAsync ? (Func<Task>)call.Call<Task> : function is Action ? (Action)call.Call : (Func<TResult>)call.Call<TResult>, isAsync, entry, token));

    private Task<TResult> Enter<TResult>(TKey key, Delegate function, bool isAsync, KeyedEntry entry, CancellationToken token)
    {
        var item = new FunctionItem<TResult>(function, isAsync, token);
        if (!TryPush(key, item.Work, entry, out KeyedLine line))
        {
            item.Fail(line.FullError(), entry);
        }

        return item.Outcome;
    }

    private bool TryPush<TState>(TKey key, Action<TState> callback, TState state, out KeyedLine line)
    {
        if (_target.Observation is not { } observation)
        {
            return TryPush(key, CallbackItem.WorkOf(callback, state), KeyedEntry.Throws, out line);
        }

        ObservedCall call = ObservedCall.OfKey(observation, callback, key);
        bool isPushed = TryPush(key, CallbackItem.WorkOf<TState>(call.CallWith, state), KeyedEntry.Throws, out line);
        if (isPushed)
        {
            call.NoteQueued(); // not of one that the limit rejects
        }

        return isPushed;
    }

    private bool TryPush(TKey key, in WorkItem work, KeyedEntry entry, out KeyedLine line)
    {
        line = _map.Push(key, newLine: null, work, out bool isFull, out KeyedItem? starter)
            ?? _map.Push(key, NewLine(key), work, out isFull, out starter)!; // the user's function for the weight runs outside of the lock
        if (starter is not null)
        {
            new KeyedTurn(line).Start(starter, entry);
        }

        return !isFull;
    }

    private KeyLine<TKey> NewLine(TKey key)
    {
        int weight = _weightOf is null ? LeastWeight : _weightOf(key);
        OptionRange.ThrowUnlessInRange("weightOf", weight, LeastWeight, MostWeight);
        return new KeyLine<TKey>(_map, key, _target, _most, _limit, weight);
    }
}
