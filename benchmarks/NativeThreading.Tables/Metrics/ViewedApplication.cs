using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace NativeThreading.Tables.Metrics;

/// <summary>An application that has the live page and nothing to do, with one who looks and with nobody: what share of a processor
/// that takes.</summary>
internal static class ViewedApplication
{
    public const string Viewed = "dashboard/viewer";
    public const string Unviewed = "dashboard/nobody";

    private const int Blocked = 4;

    private static readonly TimeSpan s_settled = TimeSpan.FromSeconds(4);

    /// <summary>In a process of its own.</summary>
    public static Sample Once(string run, TimeSpan time) => run switch
    {
        Viewed => RunAsync(isViewed: true, time).GetAwaiter().GetResult(),
        Unviewed => RunAsync(isViewed: false, time).GetAwaiter().GetResult(),
        _ => throw new MeasurementException($"no run is named {run}."),
    };

    private static async Task<Sample> RunAsync(bool isViewed, TimeSpan time)
    {
        using var release = new ManualResetEventSlim(); // disposed of last: the pool's items wait for it
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "viewed", MinThreads = Blocked, MaxThreads = Blocked });
        using var loop = new EventLoop(new EventLoopOptions { Name = "viewed" });
        await using WebApplication app = await StartAsync().ConfigureAwait(false);
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
        if (isViewed ? samples < (time.TotalSeconds / 2) - 1 : samples != 0)
        {
            throw new MeasurementException($"{(isViewed ? Viewed : Unviewed)}: {samples} samples came in {time.TotalSeconds} s.");
        }

        return new Sample(100 * used, null, null);
    }

    private static async Task<WebApplication> StartAsync()
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder(new WebApplicationOptions { EnvironmentName = Environments.Development });
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        WebApplication app = builder.Build();
        app.MapNativeThreading();
        await app.StartAsync().ConfigureAwait(false);
        return app;
    }

    /// <summary>Reads a stream, and counts what comes.</summary>
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
