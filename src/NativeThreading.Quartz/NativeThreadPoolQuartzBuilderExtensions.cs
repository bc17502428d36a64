using Microsoft.Extensions.DependencyInjection;
using NativeThreading.Quartz;
using Quartz.Extensibility;

namespace Quartz;

/// <summary>Runs a scheduler's jobs on a pool.</summary>
/// <example>
/// <code>
/// services.AddNativeThreadPool("jobs");
/// services.AddQuartz(quartz =&gt; quartz.UseNativeThreadPool("jobs"));
/// </code>
/// </example>
public static class NativeThreadPoolQuartzBuilderExtensions
{
    /// <summary>Runs the jobs of this scheduler on a pool: <c>services.AddQuartz(q => q.UseNativeThreadPool("jobs"))</c>. A job runs on another pool
    /// if <see cref="RunOnNativeThreadPoolAttribute"/> or <see cref="NativeThreadPoolJobs.PoolNameKey"/> says so.</summary>
    /// <remarks>
    /// <para>The pool is the one that <c>AddNativeThreadPool</c> has added under that name, before or after this call. If there is no such pool, the
    /// scheduler fails at startup. Quartz manages its schedule on the built-in pool, as before: only jobs and the listeners around them run on the
    /// pool.</para>
    /// <para>A firing is never rejected and takes no permit of a limited queue, because the store has recorded it by then. The limit applies earlier:
    /// the scheduler takes no more triggers than the pool has room for.</para>
    /// <para>Call it inside <c>AddQuartz</c>, once for each scheduler, and do not select another thread pool there.</para>
    /// </remarks>
    /// <param name="builder">The scheduler that is being added.</param>
    /// <param name="poolName">The name under which the pool is registered.</param>
    /// <param name="configure">A function that sets the options, such as how many jobs run at once.</param>
    /// <returns><paramref name="builder"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="poolName"/> is null, empty or white space.</exception>
    /// <exception cref="InvalidOperationException">This scheduler has a thread pool already.</exception>
    public static IQuartzBuilder UseNativeThreadPool(this IQuartzBuilder builder, string poolName, Action<NativeThreadPoolJobOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrWhiteSpace(poolName);

        // Quartz keeps the first registration: a second one would be ignored without a word.
        IServiceCollection services = builder.Services;
        object? key = builder.SchedulerName.Length == 0 ? null : builder.SchedulerName;
        if (services.Any(service => service.ServiceType == typeof(IThreadPool) && Equals(service.ServiceKey, key)))
        {
            throw new InvalidOperationException(
                $"The scheduler '{builder.SchedulerName}' already has a thread pool, so UseNativeThreadPool(\"{poolName}\") would have no effect. Remove one of the two.");
        }

        builder.ConfigureOptions<NativeThreadPoolJobOptions>(options =>
        {
            options.PoolName = poolName;
            options.SchedulerName = builder.SchedulerName;
            configure?.Invoke(options);
        });
        builder.UseThreadPool<JobThreadPool>();
        builder.AddJobMiddleware(provider => new JobPoolMiddleware(provider, JobPools.Find(provider, poolName), services));
        return builder;
    }
}
