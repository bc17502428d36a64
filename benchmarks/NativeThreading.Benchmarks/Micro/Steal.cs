using BenchmarkDotNet.Attributes;

namespace NativeThreading.Benchmarks.Micro;

/// <summary>A worker fills its own queue and waits, so that every item has to be stolen; one operation is one item. Needs two processors: with one
/// there is no thief.</summary>
[MemoryDiagnoser]
[BenchmarkCategory("steal")]
public class Steal
{
    private const int Items = 200;

    private readonly ExecutionCheck _check = new();
    private readonly CountingItem _item = new();
    private readonly SemaphoreSlim _victimDone = new(0);

    private int _executed;

    [GlobalSetup]
    public void RequireTwoProcessors()
    {
        if (Environment.ProcessorCount < 2)
        {
            throw new PlatformNotSupportedException("Stealing needs 2 processors.");
        }
    }

    [Benchmark(Baseline = true, OperationsPerInvoke = Items)]
    public void ThreadPool() => Run<BuiltInPool>();

    [Benchmark(OperationsPerInvoke = Items)]
    public void Native() => Run<NativePool>();

    [GlobalCleanup]
    public void Verify() => _check.Verify();

    private void Run<TPool>()
        where TPool : struct, IPool
    {
        default(TPool).UnsafeQueue(
            static self =>
            {
                self._item.Expect(Items);
                for (int i = 0; i < Items; i++)
                {
                    default(TPool).Queue(CountingItem.Typed, self._item, preferLocal: true);
                }

                self._executed = self._item.Wait();
                self._victimDone.Release();
            },
            this,
            preferLocal: false);
        if (!_victimDone.Wait(TimeSpan.FromSeconds(60)))
        {
            throw new TimeoutException("The items were not stolen.");
        }

        _check.Add(Items, _executed);
    }
}
