using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using NativeThreading.Keyed;
using NativeThreading.Platform;
using NativeThreading.Tasks;

namespace NativeThreading;

/// <summary>Runs items one at a time, in the order of the calls, on the threads of a pool. No thread waits.</summary>
/// <remarks>
/// <para>All members may be called from any thread at any time. A sequencer owns no thread and needs no disposal.</para>
/// <para>An async function of <c>Run</c> keeps its turn until its task has completed. Its awaits resume on the pool. A callback of <see cref="Context"/>
/// and a task of <see cref="Scheduler"/> end their turn at their first await, and continue as a later item of the sequencer.</para>
/// </remarks>
/// <example>
/// <code>
/// var journal = new Sequencer(pool);
/// int count = await journal.Run(() =&gt; entries.Count);
/// </code>
/// </example>
[DebuggerDisplay("{ToString(),nq}")]
[SuppressMessage("Naming", "CA1716", Justification = "The parameter is called what Task.Run calls it.")]
public sealed class Sequencer
{
    private readonly KeyedTarget _target;
    private readonly KeyedLine _line;

    /// <summary>Creates a sequencer.</summary>
    /// <param name="scheduler">The pool that runs the items.</param>
    /// <param name="limit">The most items that may wait; 1 or more, or <see langword="null"/> for no limit.</param>
    /// <exception cref="ArgumentNullException"><paramref name="scheduler"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="limit"/> is less than 1.</exception>
    public Sequencer(IWorkScheduler scheduler, int? limit = null)
    {
        ArgumentNullException.ThrowIfNull(scheduler);
        OptionRange.ThrowUnlessInRange(nameof(limit), limit ?? 1, 1, int.MaxValue);
        _target = new KeyedTarget(scheduler);
        _line = new KeyedLine(_target, new UninterruptedLock(), most: 1, limit ?? int.MaxValue, weight: 1);
        Scheduler = new SequencerScheduler(_line);
        Context = new SequencerContext(_line, Scheduler);
    }

    /// <summary>Gets the pool that runs the items.</summary>
    public IWorkScheduler WorkScheduler => _target.Scheduler;

    /// <summary>Gets a scheduler whose tasks are items of this sequencer. Such a task is never rejected, and does not count against the limit.</summary>
    public TaskScheduler Scheduler { get; }

    /// <summary>Gets a context whose posts are items of this sequencer, like the context of a user interface. A post is never rejected.</summary>
    public SynchronizationContext Context { get; }

    /// <summary>Queues a callback. The execution context flows to it.</summary>
    /// <param name="callback">The callback to run. If it throws, the pool handles the exception like that of any of its callbacks.</param>
    /// <param name="state">The argument of the callback.</param>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <exception cref="ArgumentNullException"><paramref name="callback"/> is null.</exception>
    /// <exception cref="QueueFullException">As many items wait as the limit allows, or the queue of the pool is full.</exception>
    /// <exception cref="ObjectDisposedException">The pool is shutting down, and the caller is not one of its workers.</exception>
    /// <exception cref="OutOfMemoryException">The pool has no thread and could not start one; nothing was queued.</exception>
    public void Queue<TState>(Action<TState> callback, TState state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        if (!_line.TryPush(CallbackItem.WorkOf(callback, state), KeyedEntry.Throws))
        {
            throw _line.FullError();
        }
    }

    /// <summary>Queues a callback unless as many items wait as the limit allows.</summary>
    /// <returns><see langword="true"/> if the callback was queued; <see langword="false"/> if the limit is reached.</returns>
    /// <exception cref="QueueFullException">The queue of the pool is full.</exception>
    /// <inheritdoc cref="Queue{TState}(Action{TState}, TState)" path="/*[not(self::summary) and not(@cref='T:NativeThreading.QueueFullException')]"/>
    public bool TryQueue<TState>(Action<TState> callback, TState state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        return _line.TryPush(CallbackItem.WorkOf(callback, state), KeyedEntry.Throws);
    }

    /// <summary>Runs an action as an item of this sequencer.</summary>
    /// <param name="action">The action to run.</param>
    /// <param name="cancellationToken">A token that cancels the call at once if its function has not started.</param>
    /// <returns>A task with the outcome. Code that awaits it never resumes inside the sequencer's turn.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="action"/> is null.</exception>
    /// <exception cref="InvalidOperationException">An item of this sequencer makes the call, so it would wait for itself.</exception>
    /// <inheritdoc cref="Queue{TState}(Action{TState}, TState)" path="/exception[not(@cref='T:System.ArgumentNullException')]"/>
    public Task Run(Action action, CancellationToken cancellationToken = default) =>
        Enter<NoResult>(action, isAsync: false, KeyedEntry.Throws, cancellationToken);

    /// <summary>Runs a function as an item of this sequencer.</summary>
    /// <param name="function">The function to run.</param>
    /// <param name="cancellationToken">A token that cancels the call at once if its function has not started.</param>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <inheritdoc cref="Run(Action, CancellationToken)" path="/*[self::returns or self::exception[not(@cref='T:System.ArgumentNullException')]]"/>
    /// <returns>A task with the result of the function. It completes when the function has completed, or when the token cancels it before it starts.</returns>
    public Task<TResult> Run<TResult>(Func<TResult> function, CancellationToken cancellationToken = default) =>
        Enter<TResult>(function, isAsync: false, KeyedEntry.Throws, cancellationToken);

    /// <summary>Runs an async function as an item of this sequencer. The next item starts when the function's task has completed.</summary>
    /// <inheritdoc cref="Run{TResult}(Func{TResult}, CancellationToken)"/>
    public Task Run(Func<Task> function, CancellationToken cancellationToken = default) =>
        Enter<NoResult>(function, isAsync: true, KeyedEntry.Throws, cancellationToken);

    /// <inheritdoc cref="Run(Func{Task}, CancellationToken)"/>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    public Task<TResult> Run<TResult>(Func<Task<TResult>> function, CancellationToken cancellationToken = default) =>
        Enter<TResult>(function, isAsync: true, KeyedEntry.Throws, cancellationToken);

    /// <summary>Runs an action as an item of this sequencer. Exceptions of a full queue and of a shutdown are stored in the task.</summary>
    /// <remarks>If the queue of the pool is full and its mode is <see cref="QueueFullMode.Wait"/>, the call waits for a permit without a thread.</remarks>
    /// <inheritdoc cref="Run(Action, CancellationToken)" path="/*[not(self::summary)]"/>
    public Task RunAsync(Action action, CancellationToken cancellationToken = default) =>
        Enter<NoResult>(action, isAsync: false, KeyedEntry.InTask, cancellationToken);

    /// <summary>Runs a function as an item of this sequencer. Exceptions of a full queue and of a shutdown are stored in the task.</summary>
    /// <inheritdoc cref="Run{TResult}(Func{TResult}, CancellationToken)" path="/*[not(self::summary)]"/>
    /// <inheritdoc cref="RunAsync(Action, CancellationToken)" path="/remarks"/>
    public Task<TResult> RunAsync<TResult>(Func<TResult> function, CancellationToken cancellationToken = default) =>
        Enter<TResult>(function, isAsync: false, KeyedEntry.InTask, cancellationToken);

    /// <summary>Runs an async function as an item of this sequencer. Exceptions of a full queue and of a shutdown are stored in the task.</summary>
    /// <inheritdoc cref="Run(Func{Task}, CancellationToken)" path="/*[not(self::summary)]"/>
    /// <inheritdoc cref="RunAsync(Action, CancellationToken)" path="/remarks"/>
    public Task RunAsync(Func<Task> function, CancellationToken cancellationToken = default) =>
        Enter<NoResult>(function, isAsync: true, KeyedEntry.InTask, cancellationToken);

    /// <inheritdoc cref="RunAsync(Func{Task}, CancellationToken)"/>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    public Task<TResult> RunAsync<TResult>(Func<Task<TResult>> function, CancellationToken cancellationToken = default) =>
        Enter<TResult>(function, isAsync: true, KeyedEntry.InTask, cancellationToken);

    /// <inheritdoc/>
    public override string ToString() => $"{nameof(Sequencer)} on {WorkScheduler.Name}";

    private Task<TResult> Enter<TResult>(
        Delegate? function, bool isAsync, KeyedEntry entry, CancellationToken token, [CallerArgumentExpression(nameof(function))] string name = "")
    {
        ArgumentNullException.ThrowIfNull(function, name);
        var item = new FunctionItem<TResult>(function, isAsync, token);
        if (!_line.TryPush(item.Work, entry))
        {
            item.Fail(_line.FullError(), entry);
        }

        return item.Outcome;
    }
}
