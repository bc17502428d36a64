using BenchmarkDotNet.Attributes;
using NativeThreading.Workloads.Xtask;

namespace NativeThreading.Benchmarks.Xtask;

/// <summary>The fan-out rows of the xtask table: items queued one by one from outside, then waited for together. One
/// operation is one round of them.</summary>
[MemoryDiagnoser]
public class FanOut
{
    private readonly NativeThreadPool _pool = new(new NativeThreadPoolOptions { Name = "fan-out", MaxThreads = 4 });
    private readonly ItemWork _work = new(increments: true);
    private readonly ExecutionCheck _check = new();
    private WorkGroupItems _group;
    private BuiltInItems _builtIn;
    private TaskItems<BuiltInPool> _tasks;

    // 1: submit and wait. 10: fewer than a worker fetches at once. 100, 1000: the producer and the workers overlap.
    [Params(1, 10, 100, 1_000)]
    public int Items { get; set; }

    [GlobalSetup]
    public void Create()
    {
        _group = new WorkGroupItems(_pool, _work, Items);
        _builtIn = new BuiltInItems(_work, Items);
        _tasks = new TaskItems<BuiltInPool>(_work, Items, inOrder: false);
    }

    [Benchmark(Baseline = true)]
    public void ThreadPool() => Run(_builtIn);

    [Benchmark]
    public void TaskRun() => Run(_tasks);

    [Benchmark]
    public void WorkGroup() => Run(_group);

    [GlobalCleanup]
    public void Verify()
    {
        _check.Add(0, _work.Count);
        _check.Verify();
        _pool.Dispose();
    }

    private void Run<TGroup>(TGroup group)
        where TGroup : struct, IItemGroup
    {
        group.Begin(Items);
        for (int i = 0; i < Items; i++)
        {
            group.Queue(i);
        }

        group.Wait();
        _check.Add(Items, 0);
    }
}
