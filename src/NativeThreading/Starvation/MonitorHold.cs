namespace NativeThreading.Starvation;

/// <summary>
/// A pool's hold on the monitor's thread. It ends when the pool stops, or when a pool that was never stopped is collected.
/// </summary>
internal sealed class MonitorHold : IDisposable
{
    private int _ended;

    /// <summary>Begins the hold. Throws what starting a thread throws.</summary>
    public MonitorHold()
    {
        try
        {
            StarvationMonitor.Hold();
        }
        catch
        {
            GC.SuppressFinalize(this); // nothing is held
            throw;
        }
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
        if (Interlocked.Exchange(ref _ended, 1) == 0)
        {
            StarvationMonitor.Release();
        }
    }
}
