namespace NativeThreading.Tasks;

/// <summary>The options of an item, to which its context refers. Items that continue the item have the same options.</summary>
internal abstract class ItemOptions : IObservedOptions
{
    protected ItemOptions(NativeThreadPool pool, WorkPriority priority, object? label, WorkGroup? group)
    {
        (Priority, Label, Group) = (priority, label, group);
        OperationContext = new PoolSynchronizationContext(pool, this);
        Scheduler = new NativeTaskScheduler(pool, this);
    }

    /// <inheritdoc/>
    public WorkPriority Priority { get; }

    /// <inheritdoc/>
    public object? Label { get; }

    /// <summary>The group whose items have these options, or <see langword="null"/>.</summary>
    public WorkGroup? Group { get; }

    /// <summary>The context of operations on the pool's workers.</summary>
    public PoolSynchronizationContext OperationContext { get; }

    public NativeTaskScheduler Scheduler { get; }
}

/// <summary>The part of an item's options that observers see.</summary>
internal interface IObservedOptions
{
    /// <summary>The priority.</summary>
    WorkPriority Priority { get; }

    /// <summary>The object that observers report as the running item, if the item has a name.</summary>
    object? Label { get; }
}
