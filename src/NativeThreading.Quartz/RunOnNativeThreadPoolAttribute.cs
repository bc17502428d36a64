namespace NativeThreading.Quartz;

/// <summary>Runs a job on the named pool instead of its scheduler's pool: <c>[RunOnNativeThreadPool("reports")]</c>.</summary>
/// <remarks>Needs <c>UseNativeThreadPool</c> on the scheduler. The job still counts as one of the scheduler's jobs; execution groups of Quartz limit
/// how many jobs of one kind run. If no pool has that name, the scheduler fails at startup if the job is a registered service, as with <c>AddJob</c>.
/// Otherwise the job fails.</remarks>
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
    /// <summary>The key under which the data of a trigger or a job names the pool that the job runs on. The name in the trigger's data takes
    /// precedence over that in the job's data, and both take precedence over <see cref="RunOnNativeThreadPoolAttribute"/>.</summary>
    public const string PoolNameKey = "NativeThreading.Pool";
}
