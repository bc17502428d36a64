using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace NativeThreading.Tables.Metrics;

/// <summary>An application with nothing to do: with the live page and one viewer, with the page and no viewer, and without the page. What share of a
/// processor that takes.</summary>
internal static class ViewedApplication
{
    public const string Viewed = "dashboard/viewer";
    public const string Unviewed = "dashboard/nobody";

    public const string Mapped = "dashboard/mapped";
    public const string Unmapped = "dashboard/unmapped";

    /// <summary>Of the application that has many pools.</summary>
    public const int Pools = 20;

    private const int Blocked = 4;

    private static readonly TimeSpan s_settled = TimeSpan.FromSeconds(4);

    /// <summary>In a process of its own.</summary>
    public static Sample Once(string run, TimeSpan time) => run switch
    {
        Viewed => RunAsync(isMapped: true, isViewed: true, others: 0, time).GetAwaiter().GetResult(),
        Unviewed => RunAsync(isMapped: true, isViewed: false, others: 0, time).GetAwaiter().GetResult(),
        Mapped => RunAsync(isMapped: true, isViewed: false, Pools - 1, time).GetAwaiter().GetResult(),
        Unmapped => RunAsync(isMapped: false, isViewed: false, Pools - 1, time).GetAwaiter().GetResult(),
        HistoryMemory.Name => HistoryMemory.MeasureAsync().GetAwaiter().GetResult(),
        _ => throw new MeasurementException($"no run is named {run}."),
    };

    /// <summary>Pools with one idle thread each.</summary>
    public static NativeThreadPool[] NewPools(int count)
    {
        NativeThreadPool[] pools = [.. Enumerable.Range(0, count).Select(static index => new NativeThreadPool(new NativeThreadPoolOptions { Name = $"pool-{index}" }))];
        Array.ForEach(pools, static pool => pool.Run(static () => { }).Wait(PoolExtensions.Deadline));
        return pools;
    }

    private static async Task<Sample> RunAsync(bool isMapped, bool isViewed, int others, TimeSpan time)
    {
        NativeThreadPool[] pools = NewPools(others);
        using var release = new ManualResetEventSlim(); // disposed of last: the pool's items wait for it
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "viewed", MinThreads = Blocked, MaxThreads = Blocked });
        using var loop = new EventLoop(new EventLoopOptions { Name = "viewed" });
        await using WebApplication app = await StartAsync(isMapped).ConfigureAwait(false);
        using var left = new CancellationTokenSource();
        using var client = new HttpClient { Timeout = Timeout.InfiniteTimeSpan };
        var viewer = new Viewer(client, new Uri($"{app.Urls.Single()}/threads/api/v1/stream"));
        Task viewing = isViewed ? viewer.LookAsync(left.Token) : Task.CompletedTask;
        for (int i = 0; i < Blocked; i++)
        {
            pool.QueueUserWorkItem(_ => release.Wait(PoolExtensions.Deadline));
        }

        await Task.Delay(s_settled).ConfigureAwait(false); // compiled, and found blocked
        int before = viewer.Samples;
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        await Task.Delay(time).ConfigureAwait(false);
        double used = (Environment.CpuUsage.TotalTime - cpu) / time;
        int samples = viewer.Samples - before;
        release.Set();
        await left.CancelAsync().ConfigureAwait(false);
        await viewing.ConfigureAwait(false);
        Array.ForEach(pools, static pool => pool.Dispose());
        if (isViewed ? samples < (time.TotalSeconds / 2) - 1 : samples != 0)
        {
            throw new MeasurementException($"{(isViewed ? Viewed : Unviewed)}: {samples} samples came in {time.TotalSeconds} s.");
        }

        return new Sample(100 * used, null, null);
    }

    /// <param name="isMapped">Whether the application has the page.</param>
    /// <param name="clock">The clock of the samples; null for that of the system.</param>
    public static async Task<WebApplication> StartAsync(bool isMapped, TimeProvider? clock = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder(new WebApplicationOptions { EnvironmentName = Environments.Development });
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        if (clock is not null)
        {
            builder.Services.AddSingleton(clock);
        }

        WebApplication app = builder.Build();
        if (isMapped)
        {
            app.MapNativeThreading();
        }

        await app.StartAsync().ConfigureAwait(false);
        return app;
    }

    /// <summary>Reads a stream, and counts its events.</summary>
    private sealed class Viewer(HttpClient client, Uri stream)
    {
        private int _samples;

        public int Samples => Volatile.Read(ref _samples);

        public async Task LookAsync(CancellationToken cancellationToken)
        {
            try
            {
                using var reader = new StreamReader(await client.GetStreamAsync(stream, cancellationToken).ConfigureAwait(false));
                while (await reader.ReadLineAsync(cancellationToken).ConfigureAwait(false) is { } line)
                {
                    if (line.StartsWith("data: ", StringComparison.Ordinal))
                    {
                        Interlocked.Increment(ref _samples);
                    }
                }
            }
            catch (OperationCanceledException)
            {
            }
        }
    }
}
