using System.Diagnostics.CodeAnalysis;
using NativeThreading.Loops;

namespace NativeThreading;

/// <summary><c>pool.For(...)</c>, <c>pool.ForEach(...)</c>, <c>pool.ForEachAsync(...)</c> and <c>pool.Invoke(...)</c>: the loops of <see cref="Parallel"/> on a
/// pool.</summary>
/// <remarks>
/// <para>The calling thread takes part. The other threads are workers of the pool, and all together are at most
/// <see cref="NativeThreadPool.MaxThreads"/>. To keep a loop off the calling thread, call it from a function of <c>Run</c>. On a scheduler
/// without threads, such as <c>ManualThreadPool</c>, the calling thread runs the whole loop.</para>
/// <para>A loop waits for no thread of the pool that has not joined it. So nested loops cannot deadlock, and a full queue or a busy pool only means that fewer
/// threads take part. A thread that cannot take part because a shutdown has dropped its item is no dropped work: <see cref="NativeThreadPool.ShutdownAsync"/> counts
/// only operations of <c>ForEachAsync</c>.</para>
/// </remarks>
/// <example>
/// <code>
/// var squares = new int[1_000];
/// pool.For(0, squares.Length, i =&gt; squares[i] = i * i);
/// </code>
/// </example>
[SuppressMessage("Naming", "CA1716", Justification = "They are called what Parallel calls them.")]
[SuppressMessage("Naming", "CA1711", Justification = "They are called what Parallel calls them.")]
public static class WorkSchedulerLoopExtensions
{
    /// <summary>Calls an action for each number of a range, on several threads.</summary>
    /// <param name="scheduler">The pool.</param>
    /// <param name="fromInclusive">The first number.</param>
    /// <param name="toExclusive">The number after the last one. If it is not greater than the first number, the body is not called.</param>
    /// <param name="body">The action. It may run on several threads at once. There is no <see cref="ParallelLoopState"/>: use a token to end a loop early.</param>
    /// <param name="cancellationToken">A token that stops the loop: no further iteration starts, and the call throws when the running ones have completed.</param>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="AggregateException">Iterations have thrown. No further iteration has started after the first exception.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled, and no iteration has thrown anything else.</exception>
    /// <exception cref="ObjectDisposedException">The pool is shutting down, and the caller is not one of its workers. No iteration has run.</exception>
    /// <example><code>pool.For(0, entries.Count, i =&gt; Send(entries[i]), token);</code></example>
    public static void For(
        this IWorkScheduler scheduler, int fromInclusive, int toExclusive, Action<int> body, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(scheduler);
        ArgumentNullException.ThrowIfNull(body);
        new IntLoop(scheduler, fromInclusive, Math.Max(fromInclusive, toExclusive), body, cancellationToken).Run();
    }

    /// <inheritdoc cref="For(IWorkScheduler, int, int, Action{int}, CancellationToken)"/>
    public static void For(
        this IWorkScheduler scheduler, long fromInclusive, long toExclusive, Action<long> body, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(scheduler);
        ArgumentNullException.ThrowIfNull(body);
        new LongLoop(scheduler, fromInclusive, Math.Max(fromInclusive, toExclusive), body, cancellationToken).Run();
    }

    /// <summary>Calls an action for each item of a sequence, on several threads.</summary>
    /// <param name="scheduler">The pool.</param>
    /// <param name="source">The items. An array or a list is read by index; any other sequence is enumerated by one thread at a time.</param>
    /// <param name="body">The action. It may run on several threads at once.</param>
    /// <param name="cancellationToken">A token that stops the loop: no further iteration starts, and the call throws when the running ones have completed.</param>
    /// <typeparam name="T">The type of the items.</typeparam>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <inheritdoc cref="For(IWorkScheduler, int, int, Action{int}, CancellationToken)" path="/exception[not(@cref='T:System.ArgumentNullException')]"/>
    public static void ForEach<T>(this IWorkScheduler scheduler, IEnumerable<T> source, Action<T> body, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(scheduler);
        ArgumentNullException.ThrowIfNull(source);
        ArgumentNullException.ThrowIfNull(body);
        switch (source)
        {
            case T[] array when array.GetType() == typeof(T[]):
                new ArrayLoop<T>(scheduler, array, body, cancellationToken).Run();
                break;
            case IList<T> list:
                new ListLoop<T>(scheduler, list, body, cancellationToken).Run();
                break;
            default:
                new EnumerableLoop<T>(scheduler, source, body, cancellationToken).Run();
                break;
        }
    }

    /// <summary>Calls an async function for each item of a sequence, for at most a given number of items at once. Its awaits resume on the pool.</summary>
    /// <param name="scheduler">The pool.</param>
    /// <param name="source">The items. One thread at a time enumerates them, as items are needed.</param>
    /// <param name="maxConcurrency">The most calls of the body that have started and not completed; 1 or more.</param>
    /// <param name="body">The function. Its token is cancelled when the loop stops: by <paramref name="cancellationToken"/>, or because another call has failed.</param>
    /// <param name="cancellationToken">A token that stops the loop.</param>
    /// <typeparam name="T">The type of the items.</typeparam>
    /// <returns>
    /// A task that completes when all calls have completed. As with <see cref="Parallel.ForEachAsync{TSource}(IEnumerable{TSource}, Func{TSource,
    /// CancellationToken, ValueTask})"/>, it fails with the exceptions of all calls, and is cancelled if the token was cancelled. It fails
    /// with the exceptions of <see cref="IWorkScheduler.RunAsync(Func{Task}, CancellationToken)"/> if the pool rejects the loop.
    /// </returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="maxConcurrency"/> is less than 1.</exception>
    /// <example><code>await pool.ForEachAsync(entries, 20, async (entry, cancellation) =&gt; await ImportAsync(), token);</code></example>
    public static Task ForEachAsync<T>(
        this IWorkScheduler scheduler,
        IEnumerable<T> source,
        int maxConcurrency,
        Func<T, CancellationToken, ValueTask> body,
        CancellationToken cancellationToken = default)
    {
        Check(scheduler, source, maxConcurrency, body);
        return cancellationToken.IsCancellationRequested
            ? Task.FromCanceled(cancellationToken)
            : new SyncSourceLoop<T>(scheduler, source.GetEnumerator(), maxConcurrency, body, cancellationToken).Start();
    }

    /// <inheritdoc cref="ForEachAsync{T}(IWorkScheduler, IEnumerable{T}, int, Func{T, CancellationToken, ValueTask}, CancellationToken)"/>
    public static Task ForEachAsync<T>(
        this IWorkScheduler scheduler,
        IAsyncEnumerable<T> source,
        int maxConcurrency,
        Func<T, CancellationToken, ValueTask> body,
        CancellationToken cancellationToken = default)
    {
        Check(scheduler, source, maxConcurrency, body);
        return cancellationToken.IsCancellationRequested
            ? Task.FromCanceled(cancellationToken)
            : new AsyncSourceLoop<T>(scheduler, source, maxConcurrency, body, cancellationToken).Start();
    }

    /// <summary>Calls several actions, on several threads. Each is called, also if another one throws.</summary>
    /// <param name="scheduler">The pool.</param>
    /// <param name="actions">The actions.</param>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="ArgumentException">One of the actions is null.</exception>
    /// <exception cref="AggregateException">Actions have thrown.</exception>
    /// <exception cref="ObjectDisposedException">The pool is shutting down, and the caller is not one of its workers. No action has run.</exception>
    public static void Invoke(this IWorkScheduler scheduler, params Action[] actions) => Invoke(scheduler, CancellationToken.None, actions);

    /// <param name="scheduler">The pool.</param>
    /// <param name="cancellationToken">A token that stops the call: no further action starts, and the call throws when the running ones have completed.</param>
    /// <param name="actions">The actions.</param>
    /// <exception cref="OperationCanceledException">The token was cancelled, and no action has thrown anything else.</exception>
    /// <inheritdoc cref="Invoke(IWorkScheduler, Action[])"/>
    [SuppressMessage("Design", "CA1068", Justification = "The actions are the last parameter, so that they can be listed.")]
    public static void Invoke(this IWorkScheduler scheduler, CancellationToken cancellationToken, params Action[] actions)
    {
        ArgumentNullException.ThrowIfNull(scheduler);
        ArgumentNullException.ThrowIfNull(actions);
        Action[] copy = [.. actions];
        if (Array.IndexOf(copy, null) >= 0)
        {
            throw new ArgumentException("One of the actions is null. Remove it.", nameof(actions));
        }

        new InvokeLoop(scheduler, copy, cancellationToken).Run(copy.Length);
    }

    private static void Check(IWorkScheduler scheduler, object source, int maxConcurrency, Delegate body)
    {
        ArgumentNullException.ThrowIfNull(scheduler);
        ArgumentNullException.ThrowIfNull(source);
        ArgumentNullException.ThrowIfNull(body);
        OptionRange.ThrowUnlessInRange(nameof(maxConcurrency), maxConcurrency, 1, int.MaxValue);
    }
}
