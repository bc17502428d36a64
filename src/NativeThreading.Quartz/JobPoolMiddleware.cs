using System.Collections.Concurrent;
using System.Reflection;
using Microsoft.Extensions.DependencyInjection;
using NativeThreading.Diagnostics;
using Quartz;

namespace NativeThreading.Quartz;

/// <summary>Moves each job to its pool. Most jobs are there already. Some name another pool; others were taken off it by a listener or a middleware
/// that awaited something, because Quartz continues wherever that await completed.</summary>
internal sealed class JobPoolMiddleware : IJobExecutionMiddleware
{
    private readonly ConcurrentDictionary<Type, NativeThreadPool> _byType = new();
    private readonly ConcurrentDictionary<string, NativeThreadPool> _byName = new(StringComparer.Ordinal);
    private readonly IServiceProvider _services;
    private readonly NativeThreadPool _pool;

    public JobPoolMiddleware(IServiceProvider services, NativeThreadPool pool, IServiceCollection registered)
    {
        _services = services;
        _pool = pool;
        JobPools.Check(services, registered);
    }

    public ValueTask Invoke(IJobExecutionContext context, JobExecutionDelegate next, CancellationToken cancellationToken)
    {
        NativeThreadPool pool = PoolOf(context);
        if (!pool.SwitchTo().GetAwaiter().IsCompleted)
        {
            return SwitchAndInvoke(pool, context, next, cancellationToken);
        }

        NoteName(context);
        return next(context, cancellationToken);
    }

    /// <summary>An observer reports the job by its key.</summary>
    private static void NoteName(IJobExecutionContext context)
    {
        if (ThreadObserver.RecordsItem)
        {
            ThreadObserver.NoteName(context.JobDetail.Key.ToString());
        }
    }

    private static async ValueTask SwitchAndInvoke(
        NativeThreadPool pool, IJobExecutionContext context, JobExecutionDelegate next, CancellationToken cancellationToken)
    {
        await pool.SwitchTo();
        NoteName(context);
        await next(context, cancellationToken).ConfigureAwait(false);
    }

    private NativeThreadPool PoolOf(IJobExecutionContext context) =>
        NameIn(context.Trigger.JobDataMap) is { } ofTrigger ? ByName(ofTrigger)
        : NameIn(context.JobDetail.JobDataMap) is { } ofJob ? ByName(ofJob)
        : _byType.GetOrAdd(context.JobInstance.GetType(), static (type, middleware) => JobPools.Of(middleware._services, type) ?? middleware._pool, this);

    private NativeThreadPool ByName(string name) =>
        _byName.GetOrAdd(name, static (name, middleware) => JobPools.Find(middleware._services, name, "A job whose data names a pool"), this);

    private static string? NameIn(JobDataMap data) =>
        data.TryGetValue(NativeThreadPoolJobs.PoolNameKey, out object? name) && name is string { Length: > 0 } poolName ? poolName : null;
}

/// <summary>The pools that jobs ask for.</summary>
internal static class JobPools
{
    /// <exception cref="InvalidOperationException">No pool is registered under that name.</exception>
    public static NativeThreadPool Find(IServiceProvider services, string poolName, string user = "UseNativeThreadPool") =>
        services.GetKeyedService<NativeThreadPool>(poolName) ?? throw new InvalidOperationException(
            $"{user} requires pool '{poolName}', but no pool with that name is registered. Call services.AddNativeThreadPool(\"{poolName}\").");

    /// <summary>The pool that the job's attribute names, or null.</summary>
    public static NativeThreadPool? Of(IServiceProvider services, Type job) =>
        job.GetCustomAttribute<RunOnNativeThreadPoolAttribute>() is { } attribute ? Find(services, attribute.PoolName, $"The job '{job}'") : null;

    /// <summary>Finds the pools of all registered jobs, so that an unknown pool fails at startup and not at the first firing.</summary>
    public static void Check(IServiceProvider services, IServiceCollection registered)
    {
        foreach (Type job in registered.Select(service => service.ServiceType).Where(typeof(IJob).IsAssignableFrom))
        {
            _ = Of(services, job);
        }
    }
}
