namespace NativeThreading.Tables.SerialWakeup;

/// <summary>A pool that one thread hands single items to, and how that thread waits for each.</summary>
internal interface ISerialPool : IDisposable
{
    /// <summary>Submits an item that calls <paramref name="trip"/> and then wakes the submitter.</summary>
    void Submit(Trip trip);

    /// <summary>Waits for it; <see langword="false"/> after half a minute.</summary>
    bool Wait();

    /// <summary>Called by the item, last.</summary>
    void Signal();
}

/// <summary>What the item does before it signals: the reference's checks that it is active; ours counts as well.</summary>
internal sealed class Trip(ISerialPool pool)
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
            pool.Signal();
        }
    }

    public void Deactivate() => _isActive = false;
}
