namespace NativeThreading.Queues;

/// <summary>A request for items of a worker's queues. It stands at the <see cref="StealGate"/> of these queues until it is served, until its thread
/// enters or withdraws it, or until a later request displaces it. One thread uses it again and again, at one gate at a time.</summary>
/// <remarks>It refers to no item: items go from ring to ring, so an item that was given is in the queues of the thief before the thief knows of it,
/// and other threads see it there and can take it, also while the thief has no processor.</remarks>
internal abstract class StealRequest
{
    private long _since;

    /// <summary>Stands at the gate in place of the request while items are moved for it.</summary>
    public object Mark { get; } = new();

    /// <summary>Whether the owner may serve it. If not, the owner steps in and out while it stands, and its thread enters by force.</summary>
    public abstract bool IsGiven { get; }

    /// <summary>How many items were moved for it. Its thread reads this once the request does not stand any more.</summary>
    public int Moved { get; protected set; }

    /// <summary>Moves items out of the queues of the victim. Called by the owner, or by the request's own thread, which has then entered. It must not
    /// wait: the other thread may be waiting for it.</summary>
    public abstract void TakeFrom(ref WorkerQueues victim);

    /// <summary>By its thread, before it stands.</summary>
    public void Renew(long now)
    {
        Moved = 0;
        Volatile.Write(ref _since, now);
    }

    /// <summary>Whether it stands for longer than its thread takes that has a processor. By any thread: it may be a later request of that thread by
    /// now, which is then displaced too soon, and gets nothing.</summary>
    public bool IsOld(long now) => now - Volatile.Read(ref _since) > SpinTuning.RequestAge;
}

/// <summary>A request that the owner does not serve: for threads that take other items than the next ones, and for threads that only read.</summary>
internal sealed class Demand : StealRequest
{
    public override bool IsGiven => false;

    public override void TakeFrom(ref WorkerQueues victim) => throw new NotSupportedException("The thread that makes a demand moves the items.");
}
