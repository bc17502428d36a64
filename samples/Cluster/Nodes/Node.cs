using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quartz;

namespace NativeThreading.Samples.Cluster;

/// <summary>One worker process. It ends when its standard input does.</summary>
internal static class Node
{
    public static async Task<int> RunAsync(string name, ClusterSettings settings, CancellationToken cancelled)
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder();
        builder.Logging.ClearProviders().SetMinimumLevel(LogLevel.Error).AddConsole(console => console.LogToStandardErrorThreshold = LogLevel.Trace)
            .AddFilter("Quartz", settings.Chaos ? LogLevel.None : LogLevel.Error); // when all goes wrong on purpose, it has much to tell
        string database = Databases.Configured(builder.Configuration) ?? throw new InvalidOperationException("A node needs a database.");
        var effects = new DatabaseEffects(database, name);
        builder.Services.AddSingleton<IEffects>(effects);
        builder.Services.AddCluster($"{name}-{Environment.ProcessId}", settings, database);
        builder.Services.AddQuartzHostedService(options => options.WaitForJobsToComplete = true);
        using IHost host = builder.Build();
        EndWithInput(host.Services.GetRequiredService<IHostApplicationLifetime>());
        await host.RunAsync(cancelled);
        return 0;
    }

    /// <summary>No node outlives the process that started it, however that ended.</summary>
    private static void EndWithInput(IHostApplicationLifetime lifetime) => new Thread(() =>
    {
        using Stream input = Console.OpenStandardInput();
        while (input.ReadByte() >= 0)
        {
        }

        lifetime.StopApplication();
    })
    {
        IsBackground = true,
        Name = "standard input",
    }.Start();
}
