namespace NativeThreading.Workloads.Skynet;

/// <summary>One measured run: so many trees, the right sum and the right number of executions for each.</summary>
internal static class SkynetRun
{
    public static readonly TimeSpan Deadline = TimeSpan.FromSeconds(60);

    public static Sample Measure(string name, long leaves, int trees, Func<long?> grow)
    {
        Grow(name, leaves, grow);
        Meter meter = Meter.Start();
        for (int i = 0; i < trees; i++)
        {
            Grow(name, leaves, grow);
        }

        return meter.Stop().MillisecondsPer(trees);
    }

    private static void Grow(string name, long leaves, Func<long?> grow)
    {
        long before = ExecutionCount.Total;
        long? sum = grow();
        long executed = ExecutionCount.Total - before;
        if (sum != SkynetTree.Sum(leaves) || executed != SkynetTree.Nodes(leaves))
        {
            throw new MeasurementException(
                $"skynet, {name}, {leaves:N0} leaves: sum {sum}, {executed:N0} nodes executed instead of {SkynetTree.Nodes(leaves):N0} (T122).");
        }
    }
}
