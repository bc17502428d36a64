using System.Diagnostics;
using System.Globalization;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Npgsql;
using Quartz;

namespace NativeThreading.Samples.Cluster;

/// <summary>Starts the database and the nodes, fans the items out, shows what happens, and counts in the end.</summary>
internal static class Coordinator
{
    private const int Exact = 0, Inexact = 1, Refused = 2;

    public static async Task<int> RunAsync(ClusterSettings settings, string[] arguments, CancellationToken cancelled)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Configuration.AddJsonFile("appsettings.json", optional: true).AddEnvironmentVariables();
        string given = settings.Database ?? Databases.Configured(builder.Configuration) ?? (settings.Nodes > 1 ? ClusterSettings.Own : ClusterSettings.Memory);
        await using OwnPostgres? own = given == ClusterSettings.Own ? await OwnPostgres.StartAsync() : null;
        string? database = given is ClusterSettings.Memory or ClusterSettings.Own ? own?.ConnectionString : given;
        if (Refusal(settings, given, database is not null) is { } refusal)
        {
            await Console.Error.WriteLineAsync(refusal);
            return Refused;
        }

        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancelled);
        limit.CancelAfter(settings.Limit);
        builder.Logging.AddConsole(console => console.LogToStandardErrorThreshold = LogLevel.Trace).SetMinimumLevel(LogLevel.Error);
        Account account = database is null
            ? await InMemoryAsync(builder, settings, limit.Token)
            : await OnDatabaseAsync(builder, settings, arguments, Databases.With(database, settings.Connections), own, limit.Token);
        Console.WriteLine(account);
        return account.IsExact ? Exact : Inexact;
    }

    private static string? Refusal(ClusterSettings settings, string given, bool hasDatabase) => (settings, hasDatabase) switch
    {
        ({ Nodes: < 1 or > 100 } or { Items: < 1 } or { Keys: < 1 }, _) => "1 to 100 nodes, and at least 1 item, 1 in each trigger, please.",
        _ when settings.Schedulers < 1 || settings.Schedulers > settings.Concurrency =>
            $"1 to {settings.Concurrency} schedulers, please: they share --concurrency, and each one needs room for an item.",
        ({ Nodes: > 1 }, false) => $"{settings.Nodes} nodes need a database in which they meet: install PostgreSQL (apt-get install -y postgresql), "
            + "or name one with --database or ConnectionStrings:Cluster. Without one there can be a single node, whose schedule is in its memory.",
        (_, false) when given == ClusterSettings.Own => "--database own needs an installed PostgreSQL (apt-get install -y postgresql).",
        ({ Chaos: true, Nodes: < 3 }, _) => "--chaos takes two nodes out of action and needs a third one: --nodes 3.",
        _ => null,
    };

    private static async Task<Account> InMemoryAsync(HostApplicationBuilder builder, ClusterSettings settings, CancellationToken cancellationToken)
    {
        var effects = new MemoryEffects();
        builder.Services.AddSingleton<IEffects>(effects).AddCluster("node-1", settings, database: null).AddQuartzHostedService(options => options.WaitForJobsToComplete = true);
        using IHost host = builder.Build();
        await host.StartAsync(cancellationToken);
        var progress = new Progress(settings.Items);
        IScheduler[] schedulers = await Schedulers.AllAsync(host.Services, settings, cancellationToken);
        await FanOut.ScheduleAsync(schedulers, settings.Items, settings.Keys, () => Task.CompletedTask, cancellationToken);
        progress.Begin();
        while (effects.Count < settings.Items && !cancellationToken.IsCancellationRequested)
        {
            await Progress.TickAsync();
            progress.Show([("node-1", effects.Count)]);
        }

        progress.End([("node-1", effects.Count)]);
        await host.StopAsync(CancellationToken.None);
        return effects.Account(settings.Items);
    }

    private static async Task<Account> OnDatabaseAsync(
        HostApplicationBuilder builder, ClusterSettings settings, string[] arguments, string database, OwnPostgres? own, CancellationToken cancellationToken)
    {
        var effects = new DatabaseEffects(database, "coordinator");
        await effects.CreateAsync(cancellationToken);

        // A scheduler that is not started only writes into the database.
        builder.Services.AddSingleton<IEffects>(effects).AddCluster($"coordinator-{Environment.ProcessId}", settings, database);
        using IHost host = builder.Build();
        IScheduler[] schedulers = await Schedulers.AllAsync(host.Services, settings, cancellationToken);
        foreach (IScheduler scheduler in schedulers)
        {
            await scheduler.Clear(cancellationToken);
        }

        long began = Stopwatch.GetTimestamp();
        int[] shards = await FanOut.ScheduleAsync(schedulers, settings.Items, settings.Keys, () => effects.AnalyzeAsync(cancellationToken), cancellationToken);
        if (settings.Chaos)
        {
            await FanOut.ScheduleRecoveredWithoutDataAsync(schedulers[0], cancellationToken);
        }

        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{settings.Items} items scheduled in {Stopwatch.GetElapsedTime(began).TotalSeconds:0.0} s, by scheduler {string.Join(", ", shards)}"));

        (long transactions, long rows) = await effects.LoadAsync(cancellationToken);
        NodeProcess[] nodes = [.. Enumerable.Range(1, settings.Nodes).Select(node => new NodeProcess($"node-{node}", arguments, database))];
        try
        {
            await WatchAsync(effects, nodes, settings, settings.Chaos ? new Chaos(nodes, own, settings.Items) : null, cancellationToken);
            long connections = await effects.ConnectionsAsync(cancellationToken);
            await Task.WhenAll(nodes.Where(node => !node.HasEnded).Select(node => node.EndAsync(cancellationToken)));
            if (!settings.Chaos)
            {
                (long transactionsNow, long rowsNow) = await effects.LoadAsync(cancellationToken);
                Console.WriteLine(string.Create(
                    CultureInfo.InvariantCulture,
                    $"{(double)(transactionsNow - transactions) / settings.Items:0.0} transactions and {(double)(rowsNow - rows) / settings.Items:0.0} rows written per item, {connections} connections"));
            }
        }
        catch (OperationCanceledException)
        {
            Console.WriteLine("given up");
        }
        finally
        {
            Array.ForEach(nodes, node => node.Dispose());
        }

        return await effects.AccountAsync(settings.Items, CancellationToken.None);
    }

    /// <summary>Until the cluster has nothing left to do: effects alone do not show what an item may still do a second time.</summary>
    private static async Task WatchAsync(
        DatabaseEffects effects, NodeProcess[] nodes, ClusterSettings settings, Chaos? chaos, CancellationToken cancellationToken)
    {
        var progress = new Progress(settings.Items);
        (string, long)[] last = [];
        for (bool isOver = false; !isOver;)
        {
            await Progress.TickAsync();
            cancellationToken.ThrowIfCancellationRequested();
            try
            {
                // Asked first, so that the last line shows what was done to the nodes last.
                bool isQuiet = chaos is null or { IsOver: true };
                IReadOnlyDictionary<string, long> byNode = await effects.ByNodeAsync(cancellationToken);
                long done = byNode.Values.Sum();
                if (done > 0)
                {
                    progress.Begin(); // when the first node has come up
                }

                last = [.. nodes.Select(node => (node.Name + node.State, byNode.GetValueOrDefault(node.Name)))];
                progress.Show(last);
                await (chaos?.ContinueAsync(done, cancellationToken) ?? Task.CompletedTask);
                isOver = isQuiet && await effects.OpenAsync(Shards.Names(settings.Schedulers), cancellationToken) == 0;
            }
            catch (NpgsqlException) when (chaos is not null)
            {
                // The database is restarting; the nodes bear with it, too.
            }
        }

        progress.End(last);
    }
}
