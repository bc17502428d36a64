namespace NativeThreading.Workloads.Blocked;

/// <summary>CPU-bound, allocation-heavy work in excess of the processors: no thread is blocked, so every injected thread would be a false alarm.
/// Yields their number.</summary>
internal static class Overload
{
    public const string Name = "overload/injected";

    public static Sample Run(TimeSpan duration)
    {
        using var injections = new Injections();
        using var pool = new OwnPool(new NativeThreadPoolOptions { Name = "starve" });
        using var stop = new CancellationTokenSource();
        long items = 0;
        Meter meter = Meter.Start();
        for (int i = 0; i < 8 * Environment.ProcessorCount; i++)
        {
            Again();
        }

        Thread.Sleep(duration);
        stop.Cancel();
        pool.Dispose();
        Reading reading = meter.Stop();
        if (items < 10 * duration.TotalSeconds)
        {
            throw new MeasurementException($"overload: only {items} items ran.");
        }

        return reading.Per(items, injections.Count);

        void Again() => pool.UnsafeQueue(() =>
        {
            Churn(Interlocked.Increment(ref items));
            if (!stop.IsCancellationRequested)
            {
                Again();
            }
        });
    }

    // 1 to 50 ms of allocating and sorting: small objects that die young, some that live, and large arrays.
    private static void Churn(long item)
    {
        int rounds = item % 20 == 0 ? 200 : 4;
        var kept = new List<string>();
        for (int i = 0; i < rounds; i++)
        {
            string[] words = [.. Enumerable.Range(0, 500).Select(n => string.Concat("word ", (n * 7919 % 1009).ToString(null, null)))];
            Array.Sort(words, StringComparer.Ordinal);
            kept.Add(words[0]);
            GC.KeepAlive(new byte[100_000]);
        }

        GC.KeepAlive(kept);
    }
}
