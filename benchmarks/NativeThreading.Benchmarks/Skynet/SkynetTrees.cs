using BenchmarkDotNet.Attributes;
using NativeThreading.Workloads.Skynet;

namespace NativeThreading.Benchmarks.Skynet;

/// <summary>The .NET rows of the skynet table; one operation is a whole tree.</summary>
[MemoryDiagnoser]
public class SkynetTrees
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromMinutes(1);

    private readonly ExecutionCheck _check = new();

    // 1,000: a tree of a few microseconds per processor, where the first steal counts. 100,000: that of the published tables.
    [Params(1_000, 100_000)]
    public int Leaves { get; set; }

    [Benchmark(Baseline = true)]
    public long? ThreadPoolItems() => Grow(() => new ItemTree<BuiltInPool>().Grow(Leaves, s_deadline));

    [Benchmark]
    public long? NativeItems() => Grow(() => new ItemTree<NativePool>().Grow(Leaves, s_deadline));

    [Benchmark]
    public long? WorkGroup() => Grow(() => new WorkGroupTree(NativePool.Pool).Grow(Leaves, s_deadline));

    [Benchmark]
    public long? TaskRun() => Grow(() => TaskTree<BuiltInPool>.Grow(Leaves, s_deadline));

    [Benchmark]
    public long? NativeRun() => Grow(() => TaskTree<NativePool>.Grow(Leaves, s_deadline));

    [GlobalCleanup]
    public void Verify() => _check.Verify();

    private long? Grow(Func<long?> grow)
    {
        long before = ExecutionCount.Total;
        long? sum = grow();
        _check.Add(SkynetTree.Nodes(Leaves), sum == SkynetTree.Sum(Leaves) ? ExecutionCount.Total - before : 0);
        return sum;
    }
}
