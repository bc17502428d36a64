using System.Diagnostics.Metrics;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace NativeThreading.Hosting;

/// <summary>Starts and stops all pools and loops of a container with its host. They start before any service starts, and stop after every service has
/// stopped, whether the host goes through its services one by one or concurrently. So the pool of a server runs from the first request to the end of
/// the last one (T113).</summary>
internal sealed class NativeThreadingService(
    IServiceProvider services,
    IEnumerable<PoolRegistration> pools,
    IEnumerable<LoopsRegistration> groups,
    ILogger<NativeThreadingService> logger) : IHostedLifecycleService, IDisposable
{
    private readonly List<NativeThreadPool> _pools = [];
    private readonly List<(string Name, StartedLoops Loops)> _groups = [];
    private ConfigurationWatch? _watch;
    private PoolWarnings? _warnings;

    /// <inheritdoc/>
    public Task StartingAsync(CancellationToken cancellationToken)
    {
        if (services.GetService<IConfiguration>() is { } configuration)
        {
            SectionCheck.ThrowIfUnknown(configuration, pools, groups);
            _watch = new ConfigurationWatch(configuration, services, pools, groups, logger);
        }

        // Before threads exist: their start may fail, and that is a warning.
        var conditions = services.GetService<PoolConditions>(); // only in a container with a pool
        conditions?.Publish(services.GetRequiredService<IMeterFactory>(), pools.Select(static pool => pool.Name));
        _warnings = new PoolWarnings(
            pools.Select(static pool => pool.Name),
            groups.Select(static group => group.Name),
            logger,
            services.GetService<TimeProvider>() ?? TimeProvider.System,
            conditions);

        foreach (PoolRegistration registration in pools)
        {
            var pool = services.GetRequiredKeyedService<NativeThreadPool>(registration.Name);
            _pools.Add(pool);
            pool.StartMinThreads();
            Log.PoolStarted(logger, pool.Name, pool.ThreadCount, pool.MaxThreads);
        }

        foreach (LoopsRegistration registration in groups)
        {
            StartedLoops loops = registration.Start(services);
            _groups.Add((registration.Name, loops));
            Log.LoopsStarted(logger, registration.Name, loops.Count);
        }

        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Drains the pools and then the loops, because what runs on a pool may wait for a loop. The token is cancelled when the host's shutdown
    /// timeout is over; then nothing is waited for any longer (T114).</summary>
    public async Task StoppedAsync(CancellationToken cancellationToken)
    {
        _watch?.Dispose();
        await Task.WhenAll(_pools.Select(pool => DrainAsync(pool, cancellationToken))).ConfigureAwait(false);
        await Task.WhenAll(_groups.Select(group => DrainAsync(group.Name, group.Loops, cancellationToken))).ConfigureAwait(false);
        Dispose();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _watch?.Dispose();
        _warnings?.Dispose();
    }

    private async Task DrainAsync(NativeThreadPool pool, CancellationToken cancellationToken)
    {
        long dropped = await pool.ShutdownAsync(cancellationToken).ConfigureAwait(false);
        int abandoned = pool.AbandonedWorkItemCount;
        if (dropped != 0 || abandoned != 0)
        {
            Log.PoolStopped(logger, pool.Name, dropped, abandoned);
        }
        else
        {
            Log.PoolDrained(logger, pool.Name);
        }
    }

    private async Task DrainAsync(string name, StartedLoops loops, CancellationToken cancellationToken)
    {
        long dropped = await loops.ShutdownAsync(cancellationToken).ConfigureAwait(false);
        if (dropped != 0)
        {
            Log.LoopsStopped(logger, name, dropped);
        }
        else
        {
            Log.LoopsDrained(logger, name);
        }
    }
}
