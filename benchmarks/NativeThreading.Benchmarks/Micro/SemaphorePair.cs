using BenchmarkDotNet.Attributes;

namespace NativeThreading.Benchmarks.Micro;

/// <summary>Release and wait on one thread: the path without contention, which must make no system call.</summary>
[MemoryDiagnoser]
[BenchmarkCategory("semaphore-pair")]
public class SemaphorePair
{
    private const int Pairs = 1_000;

    private readonly ExecutionCheck _check = new();
    private readonly SemaphoreSlim _slim = new(0);
    private readonly LifoSemaphore _lifo = new(0);

    [Benchmark(Baseline = true, OperationsPerInvoke = Pairs)]
    public void SemaphoreSlim()
    {
        int taken = 0;
        for (int i = 0; i < Pairs; i++)
        {
            _slim.Release();
            taken += _slim.Wait(TimeSpan.Zero) ? 1 : 0;
        }

        _check.Add(Pairs, taken);
    }

    [Benchmark(OperationsPerInvoke = Pairs)]
    public void Native()
    {
        int taken = 0;
        for (int i = 0; i < Pairs; i++)
        {
            _lifo.Release();
            taken += _lifo.Wait(TimeSpan.Zero) ? 1 : 0;
        }

        _check.Add(Pairs, taken);
    }

    [GlobalCleanup]
    public void Verify()
    {
        _check.Verify();
        _lifo.Dispose();
        _slim.Dispose();
    }
}
