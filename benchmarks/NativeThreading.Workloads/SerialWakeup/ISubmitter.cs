namespace NativeThreading.Workloads.SerialWakeup;

/// <summary>A thread that hands single items to a pool, and how it waits for each. Each trip pays for the three calls.</summary>
internal interface ISubmitter : IDisposable
{
    /// <summary>Submits an item that calls <paramref name="trip"/>, which signals last.</summary>
    void Submit(Trip trip);

    /// <summary>Waits for it; <see langword="false"/> after half a minute.</summary>
    bool Wait();

    /// <summary>Called by the item, last.</summary>
    void Signal();
}

/// <summary>What the item does before it signals: the reference's checks that it is active; ours counts as well.</summary>
internal sealed class Trip(ISubmitter submitter)
{
    private volatile bool _isActive = true;

    public long Executed { get; private set; }

    public int ThreadId { get; private set; }

    public void Run()
    {
        if (_isActive)
        {
            Executed++;
            ThreadId = Environment.CurrentManagedThreadId;
            submitter.Signal();
        }
    }

    public void Deactivate() => _isActive = false;
}
