namespace NativeThreading;

/// <summary>The order in which a pool starts waiting work.</summary>
public enum WorkPriority
{
    /// <summary>After <see cref="Normal"/>. While work of a higher priority waits, a worker starts at least one item in 64 from here.</summary>
    Low = -1,

    /// <summary>The priority of calls without options.</summary>
    Normal = 0,

    /// <summary>Before <see cref="Normal"/>: the next worker that completes an item takes it. At least one item in 64 is still of a lower priority.</summary>
    High = 1,
}

/// <summary>Options of a work item, a task or an operation: a name, a priority, a time limit and a token. With the default value a call behaves like one
/// without options.</summary>
/// <remarks>
/// <para>Continuations inherit the name and the priority: an async function that starts with them resumes with them, and so do tasks that a synchronous
/// function starts on <see cref="TaskScheduler.Current"/>. The time limit and the token apply until the function starts.</para>
/// <para>Items with a priority other than <see cref="WorkPriority.Normal"/> form one first-in, first-out queue per priority. They never go into a
/// worker's own deque, so each costs a few hundred nanoseconds more than other items. Items without options cost nothing more.</para>
/// </remarks>
/// <example>
/// <code>
/// await pool.Run(() =&gt; Render(page), new WorkOptions { Name = "render", Priority = WorkPriority.High, StartWithin = TimeSpan.FromSeconds(2) });
///
/// IWorkScheduler background = pool.WithOptions(new WorkOptions { Priority = WorkPriority.Low });
/// await background.Run(() =&gt; Compact(index));
/// </code>
/// </example>
public readonly record struct WorkOptions
{
    /// <summary>Gets the name that the live page, logs and traces show for the work; <see langword="null"/> for the name of its function.</summary>
    public string? Name { get; init; }

    /// <summary>Gets the priority; <see cref="WorkPriority.Normal"/> by default.</summary>
    public WorkPriority Priority { get; init; }

    /// <summary>Gets how long the work may wait for its start, 0 or more; <see langword="null"/> or <see cref="Timeout.InfiniteTimeSpan"/> for any
    /// time. Work that has not started by then has expired: its task is cancelled at once, it is counted
    /// (<see cref="NativeThreadPool.ExpiredWorkItemCount"/>), and its place in a limited queue is free.</summary>
    /// <remarks>A timer of the runtime measures the time. If the built-in thread pool is starved, the task is cancelled late, but the work still does
    /// not start.</remarks>
    public TimeSpan? StartWithin { get; init; }

    /// <summary>Gets the token that cancels the work until it starts.</summary>
    public CancellationToken CancellationToken { get; init; }

    internal bool Expires => StartWithin is { } limit && limit != Timeout.InfiniteTimeSpan;

    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    internal void Validate()
    {
        if (!Enum.IsDefined(Priority))
        {
            throw new ArgumentOutOfRangeException(nameof(Priority), Priority, $"{nameof(Priority)} must be Low, Normal or High, but was {Priority}.");
        }

        if (Expires)
        {
            OptionRange.ThrowIfNegative(nameof(StartWithin), StartWithin!.Value);
        }
    }
}
