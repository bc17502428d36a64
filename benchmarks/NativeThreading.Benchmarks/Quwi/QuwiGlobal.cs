using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using NativeThreading.Tables.Pools;
using NativeThreading.Tables.Quwi;

namespace NativeThreading.Benchmarks.Quwi;

/// <summary>The cells of the quwi table's global queue; one operation is one callback. The bytes include the chains and
/// producers of the benchmark itself, the same in both columns.</summary>
[MemoryDiagnoser]
[CategoriesColumn]
[BenchmarkCategory("quwi-global")]
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory, BenchmarkLogicalGroupRule.ByParams)]
public class QuwiGlobal
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

    [Benchmark(Baseline = true, OperationsPerInvoke = QuwiWork.Callbacks)]
    public void ThreadPool() => Run<GlobalForm<BuiltInPool>>();

    [Benchmark(OperationsPerInvoke = QuwiWork.Callbacks)]
    public void Native() => Run<GlobalForm<NativePool>>();

    [GlobalCleanup]
    public void Verify() => _check.Verify();

    private void Run<TForm>()
        where TForm : struct, IForm
    {
        var work = new QuwiWork<TForm>(Depth, Parallelism);
        work.Run();
        _check.Add(QuwiWork.Callbacks, work.Executed);
    }
}
