namespace NativeThreading.Tasks;

/// <summary>The options of an item, to which its context refers: what continues the item has the same.</summary>
internal abstract class ItemOptions
{
    protected ItemOptions(NativeThreadPool pool, WorkPriority priority, object? label)
    {
        (Priority, Label) = (priority, label);
        OperationContext = new PoolSynchronizationContext(pool, this);
        Scheduler = new NativeTaskScheduler(pool, this);
    }

    public WorkPriority Priority { get; }

    /// <summary>What observers see as the running item, if it has a name.</summary>
    public object? Label { get; }

    /// <summary>The context of operations on the pool's workers.</summary>
    public PoolSynchronizationContext OperationContext { get; }

    public NativeTaskScheduler Scheduler { get; }
}
