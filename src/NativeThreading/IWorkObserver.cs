using NativeThreading.Diagnostics;

namespace NativeThreading;

/// <summary>Observes the work of a pool: when it is queued, when it starts, and how it completes. Implement it to keep your own statistics, and set it in
/// <see cref="NativeThreadPoolOptions.WorkObserver"/>.</summary>
/// <remarks>
/// <para>Each call of <c>Run</c> and <c>RunAsync</c>, each raw item, each item of a <see cref="WorkGroup"/> or a
/// <see cref="KeyedQueue{TKey}"/>, and each task that is started on the pool's scheduler is one piece of work. An async function is one piece from its
/// call until its task has completed. A function of <c>RunAfter</c> or <c>RunEvery</c> is queued when it is due. Not observed are
/// continuations, rejected calls, tasks with <see cref="TaskCreationOptions.LongRunning"/>, and raw items that run on their caller or
/// elsewhere because the pool has stopped.</para>
/// <para>A piece of work is queued first. Then either it starts and completes, fails or is cancelled, or it expires or is cancelled without a start. The methods
/// are called on the threads where that happens, at the same time for different work. They must be thread-safe and short. If a method throws, the event source
/// <c>NativeThreading</c> reports the exception, and the work continues.</para>
/// </remarks>
/// <example><code>
/// using System.Collections.Concurrent;
///
/// sealed class Account : IWorkObserver
/// {
///     private readonly ConcurrentDictionary&lt;string, long&gt; _ticks = new();
///
///     public void Completed(in WorkInfo work)
///     {
///         long spent = work.Duration.Ticks;
///         _ticks.AddOrUpdate(work.Name, spent, (_, ticks) =&gt; ticks + spent);
///     }
/// }
/// </code></example>
public interface IWorkObserver
{
    /// <summary>Work has been queued. Called before its start, which waits until this method has returned.</summary>
    /// <param name="work">The work.</param>
    void Queued(in WorkInfo work)
    {
    }

    /// <summary>The work is about to start, on the calling thread.</summary>
    /// <param name="work">The work, with <see cref="WorkInfo.Waited"/>.</param>
    void Started(in WorkInfo work)
    {
    }

    /// <summary>The work has completed without an exception.</summary>
    /// <param name="work">The work, with <see cref="WorkInfo.Duration"/>.</param>
    void Completed(in WorkInfo work)
    {
    }

    /// <summary>The work has thrown an exception. The exception is where it would be without an observer: in the task, or with
    /// <see cref="NativeThreadPoolOptions.UnhandledException"/>.</summary>
    /// <param name="work">The work, with <see cref="WorkInfo.Duration"/>.</param>
    void Failed(in WorkInfo work)
    {
    }

    /// <summary>The work did not start within <see cref="WorkOptions.StartWithin"/>.</summary>
    /// <param name="work">The work.</param>
    void Expired(in WorkInfo work)
    {
    }

    /// <summary>The work was cancelled, before or after its start, or was dropped by a shutdown.</summary>
    /// <param name="work">The work.</param>
    void Cancelled(in WorkInfo work)
    {
    }
}

/// <summary>The facts that an <see cref="IWorkObserver"/> gets about a piece of work.</summary>
/// <example><code>
/// sealed class SlowWork : IWorkObserver
/// {
///     public void Completed(in WorkInfo work) =&gt; Console.WriteLine($"{work.Name} waited {work.Waited} and ran {work.Duration}");
/// }
/// </code></example>
public readonly record struct WorkInfo
{
    private readonly object _subject;

    internal WorkInfo(string pool, object subject, object? key, WorkPriority priority, TimeSpan waited, TimeSpan duration)
    {
        _subject = subject;
        (PoolName, Key, Priority, Waited, Duration) = (pool, key, priority, waited, duration);
    }

    /// <summary>Gets the name of the pool.</summary>
    public string PoolName { get; }

    /// <summary>Gets <see cref="WorkOptions.Name"/>, or the name of the function. Each call searches for the latter, which takes microseconds.</summary>
    public string Name => ItemName.NameOf(_subject);

    /// <summary>Gets the key of work of a <see cref="KeyedQueue{TKey}"/>; otherwise <see langword="null"/>.</summary>
    public object? Key { get; }

    /// <summary>Gets the priority.</summary>
    public WorkPriority Priority { get; }

    /// <summary>Gets how long the work waited for its start; zero before the start.</summary>
    public TimeSpan Waited { get; }

    /// <summary>Gets the time from the start to the end, including awaits; zero before the end.</summary>
    public TimeSpan Duration { get; }
}
