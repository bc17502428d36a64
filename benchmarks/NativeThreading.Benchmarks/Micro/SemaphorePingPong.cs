using BenchmarkDotNet.Attributes;

namespace NativeThreading.Benchmarks.Micro;

/// <summary>Two threads wake each other in turn; one operation is a round trip. The partner exists before the clock
/// starts (T121), and is another thread by construction (T120).</summary>
[MemoryDiagnoser]
[BenchmarkCategory("semaphore-ping-pong")]
public class SemaphorePingPong
{
    private const int Trips = 1_000;

    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(30);

    private readonly ExecutionCheck _check = new();
    private readonly SemaphoreSlim _slimPing = new(0);
    private readonly SemaphoreSlim _slimPong = new(0);
    private readonly LifoSemaphore _lifoPing = new(0);
    private readonly LifoSemaphore _lifoPong = new(0);

    private Thread _partner = null!;
    private volatile bool _stop;
    private int _answered;

    [GlobalSetup(Target = nameof(SemaphoreSlim))]
    public void StartSlim() => Start(
        () =>
        {
            _slimPing.Wait();
            Answer();
            _slimPong.Release();
        });

    [GlobalSetup(Target = nameof(Native))]
    public void StartNative() => Start(
        () =>
        {
            _lifoPing.Wait();
            Answer();
            _lifoPong.Release();
        });

    [Benchmark(Baseline = true, OperationsPerInvoke = Trips)]
    public void SemaphoreSlim()
    {
        int before = _answered;
        for (int i = 0; i < Trips; i++)
        {
            _slimPing.Release();
            ThrowUnless(_slimPong.Wait(Deadline));
        }

        _check.Add(Trips, _answered - before);
    }

    [Benchmark(OperationsPerInvoke = Trips)]
    public void Native()
    {
        int before = _answered;
        for (int i = 0; i < Trips; i++)
        {
            _lifoPing.Release();
            ThrowUnless(_lifoPong.Wait(Deadline));
        }

        _check.Add(Trips, _answered - before);
    }

    [GlobalCleanup]
    public void Verify()
    {
        _stop = true;
        _slimPing.Release();
        _lifoPing.Release();
        ThrowUnless(_partner.Join(Deadline));
        _check.Verify();
        _lifoPing.Dispose();
        _lifoPong.Dispose();
        _slimPing.Dispose();
        _slimPong.Dispose();
    }

    private void Start(Action answerOnce)
    {
        _partner = new Thread(() =>
        {
            while (!_stop)
            {
                answerOnce();
            }
        })
        { IsBackground = true, Name = "partner" };
        _partner.Start();
    }

    // Ordered by the semaphores: written between a ping and its pong.
    private void Answer() => _answered++;

    private static void ThrowUnless(bool inTime)
    {
        if (!inTime)
        {
            throw new TimeoutException("The partner did not answer.");
        }
    }
}
