using NativeThreading.Platform;

namespace NativeThreading.Starvation;

/// <summary>A pool's hold on the monitor's thread. It ends when the pool stops, or is collected without a stop.</summary>
internal sealed class MonitorHold : IDisposable
{
    private int _isHeld;

    /// <summary>Begins the hold. Throws what starting a thread throws.</summary>
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

/// <summary>What the monitor watches: a pool, or a loop that hands over.</summary>
internal interface IMonitored
{
    /// <summary>Looks once. Returns the time to the next look, or <see langword="null"/> if it needs none any more.</summary>
    TimeSpan? Look(PauseFreeClock clock);
}

/// <summary>A thread that the monitor is to start for another thread, which waits for that.</summary>
/// <param name="start">Starts the thread. May throw.</param>
internal sealed class PendingStart(Func<Thread> start)
{
    private readonly TaskCompletionSource _started = new();
    private Thread? _thread; // before the task completes

    /// <summary>By the monitor.</summary>
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

    /// <summary>By the thread that asked. Throws what starting the thread has thrown.</summary>
    public Thread Wait()
    {
        Completion.Wait(_started.Task);
        return _thread!;
    }
}
