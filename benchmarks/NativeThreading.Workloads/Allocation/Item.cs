namespace NativeThreading.Workloads.Allocation;

/// <summary>The state and the body of every item of a run: one object, so that what is counted is the pool's.</summary>
internal abstract class Item : IThreadPoolWorkItem
{
    protected Item() => Callback = _ => Step();

    /// <summary>For the form without state; made once.</summary>
    public WaitCallback Callback { get; }

    public abstract void Step();

    void IThreadPoolWorkItem.Execute() => Step();
}

/// <summary>Queues itself from the worker until it has run often enough.</summary>
internal sealed class ChainItem(Action<Item> queue, int count) : Item
{
    private int _left = count;

    public ManualResetEventSlim Done { get; } = new();

    public override void Step()
    {
        if (--_left > 0)
        {
            queue(this);
        }
        else
        {
            Done.Set();
        }
    }
}

/// <summary>Counts how often it ran, on whatever threads.</summary>
internal sealed class CountingItem : Item
{
    private int _executed;

    public int Executed => Volatile.Read(ref _executed);

    public override void Step() => Interlocked.Increment(ref _executed);
}
