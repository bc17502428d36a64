using BenchmarkDotNet.Attributes;
using NativeThreading.Workloads.Tasks;

namespace NativeThreading.Benchmarks.Tasks;

/// <summary>Sets of the tasks table, one at a time on an otherwise idle pool; one operation is one step.</summary>
[MemoryDiagnoser]
public class TaskChains
{
    private const int Calls = 8_192;

    private readonly ExecutionCheck _check = new();

    // 1: a task, a yield or a wait per call. 16: chains and fans of a usual length.
    [Params(1, 16)]
    public int Depth { get; set; }

    [Params("sub-task-chain", "fan-out", "yield-chain", "async-chain")]
    public string Set { get; set; } = "";

    [Benchmark(Baseline = true, OperationsPerInvoke = Calls)]
    public long ThreadPool() => Run<BuiltInPool>();

    [Benchmark(OperationsPerInvoke = Calls)]
    public long Native() => Run<NativePool>();

    [GlobalCleanup]
    public void Verify() => _check.Verify();

    private long Run<TPool>()
        where TPool : struct, IPool
    {
        long executed = default(TPool).Run(() => Set switch
        {
            "sub-task-chain" => TaskSets<TPool>.SubTaskChainAwaited(Depth, Calls),
            "fan-out" => TaskSets<TPool>.SubTaskFanOutAwaited(Depth, Calls),
            "yield-chain" => TaskSets<TPool>.YieldChain(Depth, Calls),
            _ => TaskSets<TPool>.AsyncChainAwaited(Depth, Calls),
        }).Result;
        _check.Add(Calls, executed);
        return executed;
    }
}
