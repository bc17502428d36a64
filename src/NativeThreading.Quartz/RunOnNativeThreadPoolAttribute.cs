namespace NativeThreading.Quartz;

/// <summary>Runs a job on a pool of its own, not on that of its scheduler: <c>[RunOnNativeThreadPool("reports")]</c>.</summary>
/// <remarks>Needs <c>UseNativeThreadPool</c> on the scheduler. The job still counts as one of the scheduler's jobs; execution groups of Quartz bound
/// how many of a kind there are. An unknown pool fails the start of the scheduler where the job is a registered service, as those of <c>AddJob</c>
/// are; else it fails the job.</remarks>
/// <param name="poolName">The name under which the pool is registered.</param>
/// <exception cref="ArgumentException"><paramref name="poolName"/> is null, empty or white space.</exception>
/// <example>
/// <code>
/// [NativeThreading.Quartz.RunOnNativeThreadPool("reports")]
/// class ReportJob : Quartz.IJob
/// {
///     public ValueTask Execute(Quartz.IJobExecutionContext context, CancellationToken cancellationToken) =&gt; default;
/// }
/// </code>
/// </example>
[AttributeUsage(AttributeTargets.Class)]
public sealed class RunOnNativeThreadPoolAttribute(string poolName) : Attribute
{
    /// <summary>Gets the name under which the pool is registered.</summary>
    public string PoolName { get; } = Checked(poolName);

    private static string Checked(string poolName)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(poolName);
        return poolName;
    }
}

/// <summary>The keys of job data that decide where a job runs.</summary>
/// <example>
/// <code>
/// using NativeThreading.Quartz;
///
/// ITrigger trigger = TriggerBuilder.Create().UsingJobData(NativeThreadPoolJobs.PoolNameKey, "reports").Build();
/// </code>
/// </example>
public static class NativeThreadPoolJobs
{
    /// <summary>The key under which the data of a trigger or a job names the pool that the job runs on: the trigger's goes before the job's, and both
    /// go before <see cref="RunOnNativeThreadPoolAttribute"/>.</summary>
    public const string PoolNameKey = "NativeThreading.Pool";
}
