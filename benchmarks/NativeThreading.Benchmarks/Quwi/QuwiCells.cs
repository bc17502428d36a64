using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using NativeThreading.Workloads.Quwi;

namespace NativeThreading.Benchmarks.Quwi;

/// <summary>The cells of one queue of the quwi table; one operation is one callback. The bytes include the chains and
/// producers of the benchmark itself, the same in both columns.</summary>
[MemoryDiagnoser]
[CategoriesColumn]
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory, BenchmarkLogicalGroupRule.ByParams)]
public abstract class QuwiCells
{
    private readonly ExecutionCheck _check = new();

    // 1: every callback is queued by a producer. 2: half are. 16, 64: mostly items that queue their successor.
    // 512: a worker that feeds itself.
    [Params(1, 2, 16, 64, 512)]
    public int Depth { get; set; }

    // 1: one producer, the others take from it. 2: one per CPU of a small machine. 16, 64, 512: queueing and running
    // interleave.
    [Params(1, 2, 16, 64, 512)]
    public int Parallelism { get; set; }

    [GlobalCleanup]
    public void Verify() => _check.Verify();

    private protected void Run<TForm>()
        where TForm : struct, IForm
    {
        var work = new QuwiWork<TForm>(Depth, Parallelism);
        work.Run();
        _check.Add(QuwiWork.Callbacks, work.Executed);
    }
}

/// <summary>Of the global queue.</summary>
[BenchmarkCategory("quwi-global")]
public class QuwiGlobal : QuwiCells
{
    [Benchmark(Baseline = true, OperationsPerInvoke = QuwiWork.Callbacks)]
    public void ThreadPool() => Run<GlobalForm<BuiltInPool>>();

    [Benchmark(OperationsPerInvoke = QuwiWork.Callbacks)]
    public void Native() => Run<GlobalForm<NativePool>>();
}

/// <summary>Of the workers' queues.</summary>
[BenchmarkCategory("quwi-local")]
public class QuwiLocal : QuwiCells
{
    [Benchmark(Baseline = true, OperationsPerInvoke = QuwiWork.Callbacks)]
    public void ThreadPool() => Run<LocalForm<BuiltInPool>>();

    [Benchmark(OperationsPerInvoke = QuwiWork.Callbacks)]
    public void Native() => Run<LocalForm<NativePool>>();
}
