using System.Reflection;
using Microsoft.Extensions.DependencyInjection;
using Quartz;

namespace NativeThreading.Quartz;

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
