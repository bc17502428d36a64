namespace NativeThreading.Workloads.Xtask;

/// <summary>Items that are queued one by one or at once and waited for together. Implemented by structs and used as a type argument, so that the
/// compiled benchmark calls the pool itself.</summary>
internal interface IItemGroup
{
    /// <summary>Announces how many items follow, before the first of them is queued; by one thread.</summary>
    void Begin(int count);

    /// <summary>Queues item number <paramref name="index"/> of those announced; by any thread.</summary>
    void Queue(int index);

    /// <summary>Queues all announced items, with one call where the pool has one for it.</summary>
    void QueueAll();

    /// <summary>Waits for all that was announced; <see langword="false"/> after half a minute.</summary>
    bool Wait();

    /// <summary>Items executed since this was created.</summary>
    long Executed { get; }
}
