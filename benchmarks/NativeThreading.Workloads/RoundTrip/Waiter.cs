namespace NativeThreading.Workloads.RoundTrip;

/// <summary>How the submitter waits; the same for all pools of a row.</summary>
internal abstract class Waiter : IDisposable
{
    public abstract void Set();

    public abstract bool Wait(TimeSpan timeout);

    public abstract void Dispose();
}

/// <summary>Lingers for about one wake-up latency before it parks: both ends of the round trip can meet awake.</summary>
internal sealed class LifoSemaphoreWaiter : Waiter
{
    private readonly LifoSemaphore _semaphore = new(0);

    public override void Set() => _semaphore.Release();

    public override bool Wait(TimeSpan timeout) => _semaphore.Wait(timeout);

    public override void Dispose() => _semaphore.Dispose();
}

/// <summary>What code without this library would use: spins briefly, then blocks in the kernel.</summary>
internal sealed class ManualResetEventSlimWaiter : Waiter
{
    private readonly ManualResetEventSlim _event = new();

    public override void Set() => _event.Set();

    public override bool Wait(TimeSpan timeout)
    {
        bool set = _event.Wait(timeout);
        _event.Reset();
        return set;
    }

    public override void Dispose() => _event.Dispose();
}

/// <summary>Takes the count without a reset; otherwise like the event.</summary>
internal sealed class SemaphoreSlimWaiter : Waiter
{
    private readonly SemaphoreSlim _semaphore = new(0);

    public override void Set() => _semaphore.Release();

    public override bool Wait(TimeSpan timeout) => _semaphore.Wait(timeout);

    public override void Dispose() => _semaphore.Dispose();
}

/// <summary>Does not spin: the submitter is parked whenever the item runs, and each trip pays for waking it.</summary>
internal sealed class AutoResetEventWaiter : Waiter
{
    private readonly AutoResetEvent _event = new(initialState: false);

    public override void Set() => _event.Set();

    public override bool Wait(TimeSpan timeout) => _event.WaitOne(timeout);

    public override void Dispose() => _event.Dispose();
}
