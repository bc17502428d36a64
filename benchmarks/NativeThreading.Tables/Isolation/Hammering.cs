using NativeThreading.Tables.Processes;
using NativeThreading.Workloads.Http;

namespace NativeThreading.Tables.Isolation;

/// <summary>What one run of a new server showed: the fast endpoint alone, then both at once.</summary>
internal sealed record Hammering(HttpLoadResult Unloaded, HttpLoadResult Fast, HttpLoadResult Slow, TimeSpan ServerCpu)
{
    public const int FastConnections = 8;
    public const int SlowConnections = 32;

    private static readonly TimeSpan s_warmUp = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_headStart = TimeSpan.FromMilliseconds(300);

    /// <summary>Answers a second of both endpoints together.</summary>
    public double TotalThroughput => (Fast.Answers / Fast.Seconds) + (Slow.Answers / Slow.Seconds);

    /// <summary>Null where nothing was answered.</summary>
    public double? CpuNanosecondsPerAnswer => Fast.Answers + Slow.Answers is > 0 and long answers ? ServerCpu.TotalNanoseconds / answers : null;

    public double CpusUsed => ServerCpu.TotalSeconds / Slow.Seconds;

    public static Hammering Run(bool isolated, string slowPath, IHttpLoad load, TimeSpan window, TimeSpan unloadedWindow)
    {
        using ServerProcess server = StorefrontProcess.Start(isolated);
        Uri address = server.Addresses[0];
        var fast = new Uri(address, "/products/7");
        load.RunAsync(fast, FastConnections, s_warmUp).Wait();
        HttpLoadResult unloaded = load.RunAsync(fast, FastConnections, unloadedWindow).Result;

        // The slow requests come first and stay longer, so that the fast ones meet them throughout.
        TimeSpan before = server.CpuTime;
        Task<HttpLoadResult> slow = load.RunAsync(new Uri(address, slowPath), SlowConnections, window + TimeSpan.FromSeconds(1));
        Thread.Sleep(s_headStart);
        HttpLoadResult loaded = load.RunAsync(fast, FastConnections, window).Result;
        return new Hammering(unloaded, loaded, slow.Result, server.CpuTime - before);
    }
}
