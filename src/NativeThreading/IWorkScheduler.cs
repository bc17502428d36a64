using System.Diagnostics.CodeAnalysis;

namespace NativeThreading;

/// <summary>A scheduler that runs queued work: a <see cref="NativeThreadPool"/>, or in a test the <c>ManualThreadPool</c> of the package
/// NativeThreading.Testing, which has no threads. Tests can run code that uses an <see cref="IWorkScheduler"/> step by step.</summary>
/// <remarks>All members may be called from any thread at any time.</remarks>
/// <example>
/// <code>
/// class Indexer(IWorkScheduler scheduler)
/// {
///     public Task&lt;int&gt; CountAsync(string text) =&gt; scheduler.Run(() =&gt; text.Length);
/// }
/// </code>
/// </example>
[SuppressMessage("Naming", "CA1716", Justification = "The parameter is called what Task.Run calls it.")]
public interface IWorkScheduler
{
    /// <summary>Gets the name of the scheduler.</summary>
    string Name { get; }

    /// <summary>Gets a task scheduler that runs tasks on this scheduler. Awaits inside such a task resume on it, too.</summary>
    TaskScheduler Scheduler { get; }

    /// <inheritdoc cref="NativeThreadPool.WithOptions"/>
    IWorkScheduler WithOptions(WorkOptions options);

    /// <inheritdoc cref="NativeThreadPool.QueueUserWorkItem(WaitCallback)"/>
    bool QueueUserWorkItem(WaitCallback callBack);

    /// <inheritdoc cref="NativeThreadPool.QueueUserWorkItem(WaitCallback, object?)"/>
    bool QueueUserWorkItem(WaitCallback callBack, object? state);

    /// <inheritdoc cref="NativeThreadPool.QueueUserWorkItem{TState}(Action{TState}, TState, bool)"/>
    bool QueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal);

    /// <inheritdoc cref="NativeThreadPool.UnsafeQueueUserWorkItem(WaitCallback, object?)"/>
    bool UnsafeQueueUserWorkItem(WaitCallback callBack, object? state);

    /// <inheritdoc cref="NativeThreadPool.UnsafeQueueUserWorkItem{TState}(Action{TState}, TState, bool)"/>
    bool UnsafeQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal);

    /// <inheritdoc cref="NativeThreadPool.UnsafeQueueUserWorkItem(IThreadPoolWorkItem, bool)"/>
    bool UnsafeQueueUserWorkItem(IThreadPoolWorkItem callBack, bool preferLocal);

    /// <summary>Gets the clock and the timers that your code should use: those of the system, or in a test those of the <c>ManualThreadPool</c>.</summary>
    /// <inheritdoc cref="NativeThreadPool.TimeProvider" path="/remarks"/>
    TimeProvider TimeProvider { get; }

    /// <inheritdoc cref="NativeThreadPool.SwitchTo"/>
    SwitchToAwaitable SwitchTo();

    /// <inheritdoc cref="NativeThreadPool.UnsafeQueueContinuation{TState}(Action{TState}, TState, bool)"/>
    void UnsafeQueueContinuation<TState>(Action<TState> callBack, TState state, bool preferLocal);

    /// <inheritdoc cref="NativeThreadPool.TryQueueUserWorkItem(WaitCallback, object?)"/>
    bool TryQueueUserWorkItem(WaitCallback callBack, object? state);

    /// <inheritdoc cref="NativeThreadPool.TryQueueUserWorkItem{TState}(Action{TState}, TState, bool)"/>
    bool TryQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal);

    /// <inheritdoc cref="NativeThreadPool.QueueAsync(WaitCallback, object?, CancellationToken)"/>
    ValueTask QueueAsync(WaitCallback callBack, object? state, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="NativeThreadPool.QueueAsync{TState}(Action{TState}, TState, CancellationToken)"/>
    ValueTask QueueAsync<TState>(Action<TState> callBack, TState state, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="NativeThreadPool.Run(Action, CancellationToken)"/>
    Task Run(Action action, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="NativeThreadPool.Run{TResult}(Func{TResult}, CancellationToken)"/>
    Task<TResult> Run<TResult>(Func<TResult> function, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="NativeThreadPool.Run(Func{Task}, CancellationToken)"/>
    Task Run(Func<Task> function, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="NativeThreadPool.Run{TResult}(Func{Task{TResult}}, CancellationToken)"/>
    Task<TResult> Run<TResult>(Func<Task<TResult>> function, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="NativeThreadPool.RunAsync(Action, CancellationToken)"/>
    Task RunAsync(Action action, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="NativeThreadPool.RunAsync{TResult}(Func{TResult}, CancellationToken)"/>
    Task<TResult> RunAsync<TResult>(Func<TResult> function, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="NativeThreadPool.RunAsync(Func{Task}, CancellationToken)"/>
    Task RunAsync(Func<Task> function, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="NativeThreadPool.RunAsync{TResult}(Func{Task{TResult}}, CancellationToken)"/>
    Task<TResult> RunAsync<TResult>(Func<Task<TResult>> function, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="NativeThreadPool.RunAfter(TimeSpan, Action, CancellationToken)"/>
    Task RunAfter(TimeSpan delay, Action action, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="NativeThreadPool.RunAfter{TResult}(TimeSpan, Func{TResult}, CancellationToken)"/>
    Task<TResult> RunAfter<TResult>(TimeSpan delay, Func<TResult> function, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="NativeThreadPool.RunAfter(TimeSpan, Func{Task}, CancellationToken)"/>
    Task RunAfter(TimeSpan delay, Func<Task> function, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="NativeThreadPool.RunAfter{TResult}(TimeSpan, Func{Task{TResult}}, CancellationToken)"/>
    Task<TResult> RunAfter<TResult>(TimeSpan delay, Func<Task<TResult>> function, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="NativeThreadPool.RunEvery(TimeSpan, Action, CancellationToken)"/>
    Task RunEvery(TimeSpan period, Action action, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="NativeThreadPool.RunEvery(TimeSpan, Func{Task}, CancellationToken)"/>
    Task RunEvery(TimeSpan period, Func<Task> function, CancellationToken cancellationToken = default);
}
