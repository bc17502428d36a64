using System.Diagnostics;

namespace NativeThreading.Tables.EventLoops;

/// <summary>The time from before a post to the callback on a loop that has fallen asleep on another thread.</summary>
internal sealed class CrossThreadWake : IDisposable
{
    private static readonly TimeSpan s_settle = TimeSpan.FromMicroseconds(60);
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(30);
    private static readonly Action<object?> s_woken = static wake => ((CrossThreadWake)wake!).Woken();

    private readonly MeasuredLoop _loop = new("cross-thread");
    private readonly double[] _latencies = new double[Peers.Wakes];
    private int _waker;
    private int _wakes;
    private long _wokenAt; // 0: the last wake has been seen

    public (Sample P50, Sample P99) Run()
    {
        _waker = Environment.CurrentManagedThreadId;
        _wakes = 0;
        double cpu = 0;
        for (int i = 0; i < _latencies.Length; i++)
        {
            SpinFor(s_settle); // until the loop sleeps
            ProcessUsage? before = ProcessUsage.Now();
            Volatile.Write(ref _wokenAt, Stopwatch.GetTimestamp());
            _loop.Loop.UnsafePost(s_woken, this);
            SpinUntilSeen();
            cpu += ProcessUsage.Now()?.CpuNanoseconds - before?.CpuNanoseconds ?? 0;
        }

        if (_wakes != _latencies.Length)
        {
            throw new MeasurementException($"{_wakes} callbacks instead of {_latencies.Length}.");
        }

        Array.Sort(_latencies);
        return (At(_latencies.Length / 2), At(_latencies.Length * 99 / 100));

        Sample At(int index) => new(_latencies[index], cpu / _latencies.Length, Switches: null);
    }

    public void Dispose() => _loop.Dispose();

    private static void SpinFor(TimeSpan time)
    {
        long begin = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(begin) < time)
        {
        }
    }

    private void SpinUntilSeen()
    {
        long begin = Stopwatch.GetTimestamp();
        while (Volatile.Read(ref _wokenAt) != 0)
        {
            if (Stopwatch.GetElapsedTime(begin) > s_deadline)
            {
                throw new MeasurementException($"a wake was not seen within {s_deadline.TotalSeconds} s.");
            }
        }
    }

    private void Woken()
    {
        if (Environment.CurrentManagedThreadId == _waker)
        {
            throw new InvalidOperationException("The callback ran on the thread that posted it (T120).");
        }

        _latencies[_wakes++] = Stopwatch.GetElapsedTime(_wokenAt).TotalNanoseconds;
        Volatile.Write(ref _wokenAt, 0);
    }
}
