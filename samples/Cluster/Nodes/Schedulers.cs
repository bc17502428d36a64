using Microsoft.Extensions.DependencyInjection;
using Npgsql;
using Quartz;

namespace NativeThreading.Samples.Cluster;

/// <summary>The scheduler of a process: the same for the nodes and for the coordinator, which only schedules.</summary>
internal static class Schedulers
{
    /// <summary>All schedulers of this name in a database are one cluster.</summary>
    public const string Name = "cluster";

    public static IServiceCollection AddCluster(this IServiceCollection services, string instance, ClusterSettings settings, string? database)
    {
        services.AddSingleton(settings);
        services.AddNativeThreadPool("jobs", options => options.MaxThreads = settings.Threads).AddHealthCheck();
        services.AddQuartz(quartz =>
        {
            quartz.ConfigureScheduler(options =>
            {
                options.InstanceName = Name;
                options.InstanceId = instance;
                options.IdleWaitTime = TimeSpan.FromSeconds(1); // how soon what another process schedules is seen
            });
            if (settings.QuartzPool)
            {
                quartz.UseDefaultThreadPool(settings.Concurrency);
            }
            else
            {
                quartz.UseNativeThreadPool("jobs", options => options.MaxConcurrency = settings.Concurrency);
            }

            if (database is null)
            {
                quartz.UseInMemoryStore(store => store.MisfireThreshold = Backlog);
            }
            else
            {
                quartz.UsePersistentStore(store =>
                {
                    store.UsePostgres(NpgsqlFactory.Instance, database);
                    store.ProvisionSchema();
                    store.ConfigureStore(options =>
                    {
                        options.StoreJobDataAsStrings = true;
                        options.MisfireThreshold = Backlog;
                        options.DbRetryInterval = TimeSpan.FromSeconds(1);
                    });
                    store.UseClustering(cluster =>
                    {
                        cluster.CheckinInterval = ClusterSettings.CheckinInterval;
                        cluster.CheckinMisfireThreshold = ClusterSettings.CheckinGrace;
                    });
                });
            }
        });
        return services;
    }

    /// <summary>An item that waits behind others has not missed its time.</summary>
    private static TimeSpan Backlog => TimeSpan.FromDays(1);
}
