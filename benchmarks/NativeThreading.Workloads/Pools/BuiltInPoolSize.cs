namespace NativeThreading.Workloads;

/// <summary>Gives the built-in pool a size for as long as this object lives. It cannot be smaller than the number of processors.</summary>
internal sealed class BuiltInPoolSize : IDisposable
{
    private readonly (int Workers, int Completion) _min;
    private readonly (int Workers, int Completion) _max;

    public BuiltInPoolSize(int workers)
    {
        ThreadPool.GetMinThreads(out _min.Workers, out _min.Completion);
        ThreadPool.GetMaxThreads(out _max.Workers, out _max.Completion);
        if (!ThreadPool.SetMinThreads(workers, _min.Completion) || !ThreadPool.SetMaxThreads(workers, _max.Completion))
        {
            throw new ArgumentOutOfRangeException(nameof(workers), workers, "The runtime refuses this size.");
        }
    }

    public static bool CanBe(int workers) => workers >= Environment.ProcessorCount;

    public void Dispose()
    {
        ThreadPool.SetMaxThreads(_max.Workers, _max.Completion);
        ThreadPool.SetMinThreads(_min.Workers, _min.Completion);
    }
}
