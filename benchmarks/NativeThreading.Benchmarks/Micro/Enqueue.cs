using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;

namespace NativeThreading.Benchmarks.Micro;

/// <summary>Queueing from a thread outside the pool, until all items have run; one operation is one item.</summary>
[MemoryDiagnoser]
[CategoriesColumn]
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
public class Enqueue
{
    private const int Items = 10_000;

    private readonly ExecutionCheck _check = new();
    private readonly CountingItem _item = new();

    // QueueUserWorkItem(WaitCallback, object): the context is captured.
    [Benchmark(Baseline = true, OperationsPerInvoke = Items), BenchmarkCategory("enqueue-callback")]
    public void ThreadPool_Callback() => QueueCallback<BuiltInPool>();

    [Benchmark(OperationsPerInvoke = Items), BenchmarkCategory("enqueue-callback")]
    public void Native_Callback() => QueueCallback<NativePool>();

    // QueueUserWorkItem<TState>: the context is captured, the state is typed.
    [Benchmark(Baseline = true, OperationsPerInvoke = Items), BenchmarkCategory("enqueue-typed")]
    public void ThreadPool_Typed() => QueueTyped<BuiltInPool>();

    [Benchmark(OperationsPerInvoke = Items), BenchmarkCategory("enqueue-typed")]
    public void Native_Typed() => QueueTyped<NativePool>();

    // UnsafeQueueUserWorkItem(IThreadPoolWorkItem): no context, no allocation in either pool.
    [Benchmark(Baseline = true, OperationsPerInvoke = Items), BenchmarkCategory("enqueue-work-item")]
    public void ThreadPool_WorkItem() => QueueWorkItem<BuiltInPool>();

    [Benchmark(OperationsPerInvoke = Items), BenchmarkCategory("enqueue-work-item")]
    public void Native_WorkItem() => QueueWorkItem<NativePool>();

    [GlobalCleanup]
    public void Verify() => _check.Verify();

    private void QueueCallback<TPool>()
        where TPool : struct, IPool
    {
        _item.Expect(Items);
        for (int i = 0; i < Items; i++)
        {
            default(TPool).Queue(CountingItem.Untyped, _item);
        }

        _check.Add(Items, _item.Wait());
    }

    private void QueueTyped<TPool>()
        where TPool : struct, IPool
    {
        _item.Expect(Items);
        for (int i = 0; i < Items; i++)
        {
            default(TPool).Queue(CountingItem.Typed, _item, preferLocal: false);
        }

        _check.Add(Items, _item.Wait());
    }

    private void QueueWorkItem<TPool>()
        where TPool : struct, IPool
    {
        _item.Expect(Items);
        for (int i = 0; i < Items; i++)
        {
            default(TPool).UnsafeQueue(_item, preferLocal: false);
        }

        _check.Add(Items, _item.Wait());
    }
}
