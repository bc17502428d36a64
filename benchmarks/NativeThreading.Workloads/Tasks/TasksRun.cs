namespace NativeThreading.Workloads.Tasks;

/// <summary>One measured run: so many tasks that do their share of the calls at the same time.</summary>
internal static class TasksRun
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(60);

    public static Sample Measure<TPool>(string set, Func<int, int, Task<long>> body, int depth, int parallelism, int calls)
        where TPool : struct, IPool
    {
        int share = calls / parallelism;
        var shares = new Task<long>[parallelism];
        Meter meter = Meter.Start();
        for (int i = 0; i < shares.Length; i++)
        {
            shares[i] = default(TPool).Run(() => body(depth, share));
        }

        bool ended = Task.WaitAll(shares, s_deadline);
        Reading reading = meter.Stop();
        long executed = ended ? shares.Sum(static s => s.Result) : 0;
        return ended && executed == calls
            ? reading.MillionsPerSecond(calls)
            : throw new MeasurementException(
                $"{set}, depth {depth}, parallelism {parallelism}: {executed:N0} steps were executed on {default(TPool).Name} instead of {calls:N0}{(ended ? "" : " before the deadline")} (T122).");
    }
}
