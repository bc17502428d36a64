using Microsoft.Extensions.DependencyInjection;
using Npgsql;
using Quartz;

namespace NativeThreading.Samples.Cluster;

/// <summary>The schedulers of a process, one for each shard: the same for the nodes and for the coordinator, which only schedules.</summary>
internal static class Schedulers
{
    /// <summary>An item that waits behind others has not missed its time.</summary>
    private static readonly TimeSpan s_backlog = TimeSpan.FromDays(1);

    public static IServiceCollection AddCluster(this IServiceCollection services, string instance, ClusterSettings settings, string? database)
    {
        services.AddSingleton(settings);
        services.AddNativeThreadPool("jobs", options => options.MaxThreads = settings.Threads).AddHealthCheck();
        for (int shard = 0; shard < settings.Schedulers; shard++)
        {
            int concurrency = Shards.PartOf(settings.Concurrency, shard, settings.Schedulers);
            services.AddQuartz(Shards.Name(shard), quartz =>
            {
                quartz.ConfigureScheduler(options =>
                {
                    options.InstanceId = instance;
                    options.IdleWaitTime = TimeSpan.FromSeconds(1); // how soon what another process schedules is seen
                });
                if (settings.QuartzPool)
                {
                    quartz.UseDefaultThreadPool(concurrency);
                }
                else
                {
                    quartz.UseNativeThreadPool("jobs", options => options.MaxConcurrency = concurrency);
                }

                AddStore(quartz, database);
            });
        }

        return services;
    }

    public static async Task<IScheduler[]> AllAsync(IServiceProvider services, ClusterSettings settings, CancellationToken cancellationToken)
    {
        var schedulers = new List<IScheduler>();
        foreach (string name in Shards.Names(settings.Schedulers))
        {
            schedulers.Add(await services.GetRequiredKeyedService<ISchedulerFactory>(name).GetScheduler(cancellationToken));
        }

        return [.. schedulers];
    }

    private static void AddStore(IQuartzBuilder quartz, string? database)
    {
        if (database is null)
        {
            quartz.UseInMemoryStore(store => store.MisfireThreshold = s_backlog);
            return;
        }

        quartz.UsePersistentStore(store =>
        {
            store.UsePostgres(NpgsqlFactory.Instance, database);
            store.ProvisionSchema();
            store.ConfigureStore(options =>
            {
                options.StoreJobDataAsStrings = true;
                options.MisfireThreshold = s_backlog;
                options.DbRetryInterval = TimeSpan.FromSeconds(1);
            });
            store.UseClustering(cluster =>
            {
                cluster.CheckinInterval = ClusterSettings.CheckinInterval;
                cluster.CheckinMisfireThreshold = ClusterSettings.CheckinGrace;
            });
        });
    }
}
