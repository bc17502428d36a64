using System.Diagnostics;
using System.Runtime.InteropServices;

namespace NativeThreading.Platform;

/// <summary>The worker signal in C#: a lock around the stack of announced workers, and at most one request for one of them. The bits of the word
/// are those of the native core; LOCKED and WAKE_OWED stay clear, because the lock is not in the word.</summary>
/// <remarks>The stack, the count of idle workers and SENTINEL change under the lock only. Other threads change the other bits at any time, so each
/// change of the word is interlocked, and a full fence.</remarks>
internal sealed unsafe class ManagedWorkerSignal
{
    private const int CacheLines = 128; // two lines of 64 bytes on x86, whose prefetcher fetches pairs; one on Apple's processors
    private const int MostWorkers = ushort.MaxValue; // of one signal, so the count of idle ones cannot overflow (T20)

    private readonly UninterruptedLock _lock = new();
    private readonly LinkedList<ManagedParker> _stack = new();
    private long _wakes;
    private int _workers;

    public ManagedWorkerSignal()
    {
        Word = (ulong*)NativeMemory.AlignedAlloc(CacheLines, CacheLines); // alone there: producers read it at every enqueue
        *Word = 0;
    }

    // Runs when neither the pool nor any of its threads can reach the word any more.
    ~ManagedWorkerSignal() => NativeMemory.AlignedFree(Word);

    public ulong* Word { get; }

    /// <summary>Workers that were chosen since the creation.</summary>
    public long Wakes => Volatile.Read(ref _wakes);

    /// <summary>Makes the one request if none is outstanding, no worker lingers, and a worker is idle or may be started. A full fence in every
    /// case.</summary>
    public RequestOutcome Request(uint now)
    {
        Interlocked.MemoryBarrier(); // pairs with the one who clears one of the two bits: that worker scans after it
        if ((Volatile.Read(ref *Word) & (SignalWord.Requested | SignalWord.Lingering)) != 0)
        {
            return RequestOutcome.NotNeeded;
        }

        using var held = _lock.EnterScope();
        ManagedParker? newest = _stack.Last?.Value;
        ulong seen, next;
        do
        {
            seen = Volatile.Read(ref *Word); // other threads change its other bits
            Chaos.Point("ManagedWorkerSignal.Request, word read");
            if ((seen & (SignalWord.Requested | SignalWord.Lingering)) != 0 || (newest is null && (seen & SignalWord.Growable) == 0))
            {
                return RequestOutcome.NotNeeded;
            }

            next = (seen & ~SignalWord.StampMask) | ((ulong)now << SignalWord.StampShift) | SignalWord.Requested;
            next -= newest is null ? 0 : ShareOf(newest);
        }
        while (Interlocked.CompareExchange(ref *Word, next, seen) != seen);

        Chaos.Point("ManagedWorkerSignal.Request, requested");
        if (newest is null)
        {
            return RequestOutcome.StartThread;
        }

        ManagedParker.GrantNewestLocked(_stack);
        Volatile.Write(ref _wakes, _wakes + 1);
        return RequestOutcome.Woke;
    }

    /// <summary>Creates the parker of one more worker.</summary>
    /// <exception cref="InvalidOperationException">There are as many as the word can count.</exception>
    public ManagedParker CreateWorker()
    {
        if (Interlocked.Increment(ref _workers) <= MostWorkers)
        {
            return new ManagedParker();
        }

        Interlocked.Decrement(ref _workers);
        throw new InvalidOperationException($"A pool cannot have more than {MostWorkers} threads.");
    }

    /// <summary>A worker has ended, or was never started. It is not announced.</summary>
    public void RemoveWorker(ManagedParker worker)
    {
        Interlocked.Decrement(ref _workers);
        worker.Dispose();
    }

    /// <summary>Announces the worker idle; from now on it may be chosen. A full fence. Returns <see langword="false"/> if it was to be the
    /// sentinel, and there is one.</summary>
    public bool Announce(ManagedParker worker, bool asSentinel)
    {
        Chaos.Point("ManagedWorkerSignal.Announce");
        using var held = _lock.EnterScope();
        if (asSentinel && (Volatile.Read(ref *Word) & SignalWord.Sentinel) != 0)
        {
            return false;
        }

        worker.IsSentinel = asSentinel;
        worker.PushLocked(_stack);
        Chaos.Point("ManagedWorkerSignal.Announce, pushed");
        Interlocked.Add(ref *Word, ShareOf(worker));
        return true;
    }

    /// <summary>Takes the announcement back. A full fence. Returns <see langword="true"/> if the worker was chosen before that.</summary>
    public bool Withdraw(ManagedParker worker)
    {
        Chaos.Point("ManagedWorkerSignal.Withdraw");
        using (_lock.EnterScope())
        {
            if (worker.TryLeaveLocked())
            {
                Chaos.Point("ManagedWorkerSignal.Withdraw, removed");
                Interlocked.Add(ref *Word, 0 - ShareOf(worker));
                return false;
            }
        }

        bool granted = worker.AwaitGrant(MonotonicClock.Never); // at once; else a later sleep would end by it (T12)
        Debug.Assert(granted);
        return true;
    }

    /// <summary>Parks until the worker is chosen: <see langword="true"/>; or until the timeout, after which it is no longer announced.</summary>
    public bool Park(ManagedParker worker, long timeoutNanoseconds) =>
        worker.AwaitGrant(MonotonicClock.After(timeoutNanoseconds)) || Withdraw(worker);

    /// <summary>What an announced worker adds to the word: itself and, if it is the sentinel, that bit, which only one worker has.</summary>
    private static ulong ShareOf(ManagedParker worker) => SignalWord.IdleOne + (worker.IsSentinel ? SignalWord.Sentinel : 0);
}

/// <summary>Where one thread sleeps until it is granted what it waits for. The signal or semaphore that it waits at has it on its stack, and
/// takes it off before it grants. So a parker is granted once, and its thread always consumes that grant.</summary>
internal sealed class ManagedParker : IDisposable
{
    private readonly AutoResetEvent _event = new(initialState: false);
    private readonly LinkedListNode<ManagedParker> _place;

    public ManagedParker() => _place = new LinkedListNode<ManagedParker>(this);

    /// <summary>Whether the worker has announced itself as the sentinel.</summary>
    public bool IsSentinel { get; set; }

    public void PushLocked(LinkedList<ManagedParker> stack) => stack.AddLast(_place);

    /// <summary>Leaves the stack; <see langword="false"/> if it was taken off, and granted.</summary>
    public bool TryLeaveLocked()
    {
        LinkedList<ManagedParker>? stack = _place.List;
        stack?.Remove(_place);
        return stack is not null;
    }

    /// <summary>Takes the newest parker off a stack and wakes its thread.</summary>
    public static void GrantNewestLocked(LinkedList<ManagedParker> stack)
    {
        ManagedParker newest = stack.Last!.Value;
        stack.RemoveLast();
        Chaos.Point("ManagedParker.GrantNewestLocked");
        newest._event.Set();
    }

    /// <summary>Sleeps until it is granted: <see langword="true"/>; or until the deadline.</summary>
    public bool AwaitGrant(long deadline) => UninterruptedWait.One(_event, deadline);

    /// <summary>Called when the thread has ended. The parker is on no stack.</summary>
    public void Dispose() => _event.Dispose();
}
