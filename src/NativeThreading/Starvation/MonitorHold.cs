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
