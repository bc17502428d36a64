namespace NativeThreading.Starvation;

/// <summary>
/// A pool's hold on the monitor's thread. It ends with the pool's stop, or when a pool that was forgotten is collected.
/// </summary>
internal sealed class MonitorHold : IDisposable
{
    private int _ended;

    /// <summary>Throws what starting a thread throws.</summary>
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

    /// <summary>Ends it, once.</summary>
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
