using BenchmarkDotNet.Attributes;
using NativeThreading.Workloads.SerialWakeup;

namespace NativeThreading.Benchmarks.SerialWakeup;

/// <summary>The .NET rows of the serial-wakeup table; one operation is one item, submitted and waited for.</summary>
public class SerialTrip
{
    private const int Trips = 1_000;

    private readonly ExecutionCheck _check = new();

    // 4: a usual pool. 16: many more threads than work, where waking the wrong one, or all, shows.
    [Params(4, 16)]
    public int Threads { get; set; }

    private NativeSubmitter? _native;
    private BuiltInSubmitter? _builtIn;

    [GlobalSetup(Target = nameof(Native))]
    public void CreateNative() => _native = new NativeSubmitter(Threads);

    [GlobalSetup(Target = nameof(ThreadPool))]
    public void CreateBuiltIn() => _builtIn = new BuiltInSubmitter(Threads);

    [Benchmark(Baseline = true, OperationsPerInvoke = Trips)]
    public void ThreadPool() => Run(_builtIn!);

    [Benchmark(OperationsPerInvoke = Trips)]
    public void Native() => Run(_native!);

    [GlobalCleanup]
    public void Verify()
    {
        _check.Verify();
        _native?.Dispose();
        _builtIn?.Dispose();
    }

    private void Run(ISubmitter submitter)
    {
        var trip = new Trip(submitter);
        for (int i = 0; i < Trips; i++)
        {
            submitter.Submit(trip);
            submitter.Wait();
        }

        _check.Add(Trips, trip.Executed);
    }
}
