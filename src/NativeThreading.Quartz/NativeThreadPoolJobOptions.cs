namespace NativeThreading.Quartz;

/// <summary>How the jobs of one scheduler use their pool.</summary>
public sealed class NativeThreadPoolJobOptions
{
    /// <summary>How many jobs this node runs at once, those that await something included. 1 or more; <see langword="null"/>, the default, takes
    /// Quartz's <c>ThreadPool:MaxConcurrency</c> where that is configured, and else the pool's <see cref="NativeThreadPool.MaxThreads"/>. Jobs that
    /// mostly wait want more.</summary>
    public int? MaxConcurrency { get; set; }

    internal string PoolName { get; set; } = "";

    /// <summary>Empty for the scheduler without a name; also the name of its options.</summary>
    internal string SchedulerName { get; set; } = "";
}
