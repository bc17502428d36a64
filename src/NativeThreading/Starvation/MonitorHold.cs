using NativeThreading.Platform;

namespace NativeThreading.Starvation;

/// <summary>A pool's hold on the monitor's thread. It ends when the pool stops, or is collected without a stop.</summary>
internal sealed class MonitorHold : IDisposable
{
    private int _isHeld;

    /// <summary>Starts the hold. Throws the exceptions of a thread start.</summary>
    public MonitorHold()
    {
        StarvationMonitor.Hold();
        _isHeld = 1;
    }

    ~MonitorHold() => End();

    /// <summary>Ends the hold. May be repeated.</summary>
    public void Dispose()
    {
        GC.SuppressFinalize(this);
        End();
    }

    private void End()
    {
        if (Interlocked.Exchange(ref _isHeld, 0) != 0)
        {
            StarvationMonitor.Release();
        }
    }
}

/// <summary>A pool, or a loop that hands over, that the monitor watches.</summary>
internal interface IMonitored
{
    /// <summary>Samples once. Returns the time until the next sample, or <see langword="null"/> if it needs no more samples.</summary>
    TimeSpan? Look(PauseFreeClock clock);
}

/// <summary>A thread that the monitor starts for another thread, which waits for the start.</summary>
/// <param name="start">Starts the thread. May throw.</param>
internal sealed class PendingStart(Func<Thread> start)
{
    private readonly TaskCompletionSource _started = new();
    private Thread? _thread; // before the task completes

    /// <summary>Called by the monitor.</summary>
    public void Run()
    {
        try
        {
            _thread = start();
            Completion.Set(_started);
        }
        catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
        {
            Completion.Fail(_started, exception);
        }
    }

    /// <summary>Called by the waiting thread. Throws the exception of the thread start, if it failed. An interrupt does not end the wait: it would leave a
    /// thread that starts, and a pool that does not count it.</summary>
    public Thread Wait()
    {
        Interruption.HoldDuring(_started.Task, static started => Completion.Wait(started, TimeSpan.MaxValue));
        _started.Task.GetAwaiter().GetResult();
        return _thread!;
    }
}
