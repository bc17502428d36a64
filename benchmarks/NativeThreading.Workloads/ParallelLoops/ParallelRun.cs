namespace NativeThreading.Workloads.ParallelLoops;

/// <summary>One run: the same loop again and again, from a thread outside of the pool, which takes part.</summary>
internal static class ParallelRun
{
    private static readonly NativeThreadPool s_pool = new(new NativeThreadPoolOptions
    {
        Name = "loops",
        MaxThreads = Environment.ProcessorCount,
        IdleTimeout = Timeout.InfiniteTimeSpan,
    });

    public static Sample ForOnPool(int count, int loops) => Measure(count, loops, static (count, body) => s_pool.For(0, count, body));

    public static Sample ForOfFramework(int count, int loops) => Measure(count, loops, static (count, body) => Parallel.For(0, count, body));

    public static Sample ForEachOnPool(int count, int loops)
    {
        List<int> numbers = [.. Enumerable.Range(0, count)];
        return Measure(count, loops, (_, body) => s_pool.ForEach(numbers, body));
    }

    public static Sample ForEachOfFramework(int count, int loops)
    {
        List<int> numbers = [.. Enumerable.Range(0, count)];
        return Measure(count, loops, (_, body) => Parallel.ForEach(numbers, body));
    }

    private static Sample Measure(int count, int loops, Action<int, Action<int>> loop)
    {
        var cells = new int[count];
        void Body(int i) => cells[i] += i;
        loop(count, Body);
        Meter meter = Meter.Start();
        for (int i = 0; i < loops; i++)
        {
            loop(count, Body);
        }

        Reading reading = meter.Stop();
        for (int i = 0; i < count; i++)
        {
            if (cells[i] != unchecked(i * (loops + 1)))
            {
                throw new MeasurementException($"Iteration {i} of {count} did not run once in each loop.");
            }
        }

        return reading.MicrosecondsPer(loops);
    }
}
