namespace NativeThreading.Workers;

/// <summary>What a worker asks of its pool. All of it is slow: none is called on the way from one item to the next.</summary>
internal abstract class PoolCalls
{
    /// <summary>Makes the one request for a worker, if <paramref name="word"/>, read after a full fence, says that one is needed.</summary>
    public abstract void Request(ulong word);

    /// <summary>Has the monitor watch the request in the word, if that is late.</summary>
    public abstract void MonitorIfLate(ulong word);

    /// <summary>The worker blocks: another one may run in its place.</summary>
    public abstract void Blocked(Worker worker);

    /// <summary>It runs again.</summary>
    public abstract void RunsAgain(Worker worker);

    /// <summary>Counts the calling worker, which has nothing in hand, to the reserve: a rescue thread, or if more run than may.</summary>
    public abstract bool TryEnterReserve(Worker worker);

    /// <summary>Parks the calling worker, which has entered the reserve; <see langword="false"/>: it is to end.</summary>
    public abstract bool WaitInReserve(Worker worker, long since);

    /// <summary>Lets a worker go that is not announced and whose time is over. Its queues are empty.</summary>
    public abstract bool TryRetire(Worker worker, long idleSince);

    /// <summary>The worker may have been the last to have something to do: stops the pool if it drains and nothing is left.</summary>
    public abstract void TryFinishDraining();

    /// <summary>Starts a worker's thread. Throws what starting a thread throws.</summary>
    public abstract void StartThread(ThreadStart main, string name);

    /// <summary>Sets the priority of the calling thread, a new worker's.</summary>
    public abstract void ApplyPriority();

    /// <summary>The exception filter of raw items.</summary>
    public abstract bool Handles(Exception exception);

    /// <summary>The last act of a worker's thread.</summary>
    public abstract void WorkerEnded(Worker worker, bool abnormally);
}
