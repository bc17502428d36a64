namespace NativeThreading.Quartz;

/// <summary>Options for the jobs of one scheduler on its pool.</summary>
/// <example>
/// <code>
/// services.AddQuartz(quartz =&gt; quartz.UseNativeThreadPool("jobs", options =&gt; options.MaxConcurrency = 20));
/// </code>
/// </example>
public sealed class NativeThreadPoolJobOptions
{
    /// <summary>Gets or sets how many jobs this node runs at once, including jobs that are awaiting something. 1 or more; <see langword="null"/>, the
    /// default, means Quartz's <c>ThreadPool:MaxConcurrency</c> if that is configured, and otherwise the pool's
    /// <see cref="NativeThreadPool.MaxThreads"/>. Raise it
    /// for jobs that mostly wait.</summary>
    public int? MaxConcurrency { get; set; }

    internal string PoolName { get; set; } = "";

    /// <summary>Empty for the scheduler without a name; also the name of its options.</summary>
    internal string SchedulerName { get; set; } = "";
}
