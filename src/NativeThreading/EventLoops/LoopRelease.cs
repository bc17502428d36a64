namespace NativeThreading.EventLoops;

/// <summary>The moment from which a loop no longer refers to something, and those that wait for it.</summary>
internal sealed class LoopRelease
{
    private bool _hasHappened;
    private TaskCompletionSource? _waiter;

    public bool HasHappened => Volatile.Read(ref _hasHappened);

    public void Happened()
    {
        Volatile.Write(ref _hasHappened, true);
        Chaos.Point("LoopRelease.Happened");
        Interlocked.MemoryBarrier(); // pairs with the exchange in WaitAsync: one of the two sees the other
        Volatile.Read(ref _waiter)?.TrySetResult();
    }

    public ValueTask WaitAsync()
    {
        if (HasHappened)
        {
            return default;
        }

        var created = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource waiter = Interlocked.CompareExchange(ref _waiter, created, null) ?? created;
        if (HasHappened)
        {
            waiter.TrySetResult();
        }

        return new ValueTask(waiter.Task);
    }
}
