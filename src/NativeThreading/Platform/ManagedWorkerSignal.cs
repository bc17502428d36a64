using System.Runtime.CompilerServices;

namespace NativeThreading.Platform;

/// <summary>The worker signal in C#: a lock around the stack of idle workers, and at most one request for one of them. The bits of the word are
/// those of the native core; LOCKED and WAKE_OWED stay clear, because the lock is not in the word.</summary>
/// <remarks>
/// <para>The stack, the count of idle workers and SENTINEL change under the lock only. Other threads change the other bits at any time, so each
/// change of the word is interlocked, and a full fence.</para>
/// <para>A worker is an event with a place on the stack. A request takes the place off, and sets the event under the same lock. The worker always
/// consumes that set, so none remains for a later wait (T12).</para>
/// </remarks>
internal sealed unsafe class ManagedWorkerSignal
{
    private const int MostWorkers = ushort.MaxValue; // of one signal, so the count of idle ones cannot overflow (T20)
    private const int Alone = 128 / sizeof(ulong); // two lines of 64 bytes on x86, whose prefetcher fetches pairs; one on Apple's processors

    private readonly ulong[] _memory = GC.AllocateArray<ulong>(2 * Alone, pinned: true); // so much, because producers read the word at every enqueue
    private readonly UninterruptedLock _lock = new();
    private readonly LinkedList<AutoResetEvent> _stack = new();
    private LinkedListNode<AutoResetEvent>? _sentinel;
    private long _wakes;
    private int _workers;

    /// <summary>The state word. It lives as long as this object.</summary>
    public ulong* Word => (ulong*)Unsafe.AsPointer(ref _memory[Alone]);

    /// <summary>Workers that requests have chosen since the creation.</summary>
    public long Wakes => Volatile.Read(ref _wakes);

    /// <summary>Makes the one request if none is outstanding, no worker lingers, and a worker is idle or may be started. A full fence in every
    /// case.</summary>
    public RequestOutcome Request(uint now)
    {
        Interlocked.MemoryBarrier(); // pairs with the worker that clears one of the two bits: it scans after that
        using var held = _lock.EnterScope();
        LinkedListNode<AutoResetEvent>? newest = _stack.Last;
        ulong seen = Volatile.Read(ref *Word);
        Chaos.Point("ManagedWorkerSignal.Request, word read");
        if ((seen & (SignalWord.Requested | SignalWord.Lingering)) != 0 || (newest is null && (seen & SignalWord.Growable) == 0))
        {
            return RequestOutcome.NotNeeded;
        }

        // REQUESTED is clear, and only this lock's holder sets it. A worker that starts to linger now costs one wake too many.
        Interlocked.Add(ref *Word, SignalWord.Requested + ((ulong)now << SignalWord.StampShift) - (seen & SignalWord.StampMask));
        Chaos.Point("ManagedWorkerSignal.Request, requested");
        if (newest is null)
        {
            return RequestOutcome.StartThread;
        }

        RemoveLocked(newest);
        newest.Value.Set();
        Volatile.Write(ref _wakes, _wakes + 1);
        return RequestOutcome.Woke;
    }

    /// <summary>Adds a worker.</summary>
    /// <exception cref="InvalidOperationException">There are as many as the word can count.</exception>
    public LinkedListNode<AutoResetEvent> CreateWorker()
    {
        using var held = _lock.EnterScope();
        _workers += _workers < MostWorkers ? 1 : throw new InvalidOperationException($"A pool cannot have more than {MostWorkers} threads.");
        return new LinkedListNode<AutoResetEvent>(new AutoResetEvent(initialState: false));
    }

    /// <summary>A worker has ended, or was never started. It is not announced.</summary>
    public void RemoveWorker(LinkedListNode<AutoResetEvent> worker)
    {
        using var held = _lock.EnterScope();
        _workers--;
        worker.Value.Dispose();
    }

    /// <summary>Announces the worker idle; from now on it may be chosen. A full fence. Returns <see langword="false"/> if it was to be the
    /// sentinel, and there is one.</summary>
    public bool Announce(LinkedListNode<AutoResetEvent> worker, bool asSentinel)
    {
        Chaos.Point("ManagedWorkerSignal.Announce");
        using var held = _lock.EnterScope();
        if (asSentinel && _sentinel is not null)
        {
            return false;
        }

        _sentinel = asSentinel ? worker : _sentinel;
        if (asSentinel && _stack.Last is { } newest)
        {
            _stack.AddBefore(newest, worker); // it is to stay parked
        }
        else
        {
            _stack.AddLast(worker);
        }

        Chaos.Point("ManagedWorkerSignal.Announce, pushed");
        Interlocked.Add(ref *Word, SignalWord.IdleOne + (asSentinel ? SignalWord.Sentinel : 0));
        return true;
    }

    /// <summary>Takes the announcement back. A full fence. Returns <see langword="true"/> if the worker was chosen before that.</summary>
    public bool Withdraw(LinkedListNode<AutoResetEvent> worker)
    {
        Chaos.Point("ManagedWorkerSignal.Withdraw");
        using var held = _lock.EnterScope();
        if (worker.List is null)
        {
            worker.Value.Reset(); // else a later wait would end by it (T12)
            return true;
        }

        RemoveLocked(worker);
        return false;
    }

    /// <summary>Parks until the worker is chosen: <see langword="true"/>; or until the timeout, after which it is no longer announced.</summary>
    public bool Park(LinkedListNode<AutoResetEvent> worker, long timeoutNanoseconds) =>
        UninterruptedWait.One(worker.Value, MonotonicClock.After(timeoutNanoseconds)) || Withdraw(worker);

    /// <summary>Takes a worker off the stack, and what it has added off the word. A full fence.</summary>
    private void RemoveLocked(LinkedListNode<AutoResetEvent> worker)
    {
        Chaos.Point("ManagedWorkerSignal.RemoveLocked");
        _stack.Remove(worker);
        Interlocked.Add(ref *Word, 0 - (SignalWord.IdleOne + (worker == _sentinel ? SignalWord.Sentinel : 0)));
        _sentinel = worker == _sentinel ? null : _sentinel;
    }
}
