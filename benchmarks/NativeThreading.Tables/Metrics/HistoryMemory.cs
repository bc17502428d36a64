using System.Text.Json;
using Microsoft.AspNetCore.Builder;

namespace NativeThreading.Tables.Metrics;

/// <summary>What the history of the live page takes when it is full: a clock that is moved makes its quarter of an hour a matter of seconds.</summary>
internal static class HistoryMemory
{
    public const string Name = "dashboard/memory";
    public const int Samples = 900;

    /// <summary>In a process of its own.</summary>
    public static async Task<Sample> MeasureAsync()
    {
        NativeThreadPool[] pools = ViewedApplication.NewPools(ViewedApplication.Pools);
        var clock = new MovedClock();
        await using WebApplication app = await ViewedApplication.StartAsync(isMapped: true, clock).ConfigureAwait(false);
        using var client = new HttpClient();
        var history = new Uri($"{app.Urls.Single()}/threads/api/v1/history");
        await client.GetStringAsync(history).ConfigureAwait(false); // what a first request takes is not the history's
        long before = GC.GetTotalMemory(forceFullCollection: true);
        for (int i = 0; i < Samples; i++)
        {
            clock.Move(TimeSpan.FromSeconds(1));
        }

        double taken = (GC.GetTotalMemory(forceFullCollection: true) - before) / 1000.0;
        JsonElement columns = JsonElement.Parse(await client.GetStringAsync(history).ConfigureAwait(false));
        (int times, int tracks) = (columns.GetProperty("times").GetArrayLength(), columns.GetProperty("pools").GetArrayLength());
        if ((times, tracks) != (Samples, ViewedApplication.Pools))
        {
            throw new MeasurementException($"{Name}: the history has {times} points of {tracks} pools.");
        }

        Array.ForEach(pools, static pool => pool.Dispose());
        return new Sample(taken, null, null);
    }

    /// <summary>A clock whose timers are called where it is moved. Each has the period of the samples.</summary>
    private sealed class MovedClock : TimeProvider
    {
        private readonly List<(TimerCallback Callback, object? State)> _timers = [];
        private readonly DateTimeOffset _start = DateTimeOffset.UtcNow;
        private TimeSpan _passed;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => _passed.Ticks;

        public override DateTimeOffset GetUtcNow() => _start + _passed;

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            _timers.Add((callback, state));
            return System.CreateTimer(static _ => { }, null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan); // it only has to be disposable
        }

        public void Move(TimeSpan time)
        {
            _passed += time;
            _timers.ForEach(static timer => timer.Callback(timer.State));
        }
    }
}
