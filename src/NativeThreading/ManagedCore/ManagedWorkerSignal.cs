using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using NativeThreading.Interop;

namespace NativeThreading.ManagedCore;

/// <summary>The worker signal in C#: the stack of announced workers, and at most one request for one of them. The word, its transitions and
/// the argument why no item is stranded are those of native/src/worker_signal.c, step for step; so are the models.</summary>
/// <remarks>Each step is one interlocked change of the word, which is a full fence. Each keeps the bits that it does not own, because others
/// change some of them at any time, whoever has LOCKED.</remarks>
internal sealed unsafe class ManagedWorkerSignal
{
    private const int CacheLines = 128; // two lines of 64 bytes on x86, whose prefetcher fetches pairs; one on Apple's processors
    private const int MostWorkers = ushort.MaxValue; // of one signal, so the count of idle ones cannot overflow (T20)

    private ParkerStack _stack; // guarded by LOCKED
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

    /// <summary>Sleeping threads woken since the creation.</summary>
    public long Wakes => Volatile.Read(ref _wakes);

    /// <summary>Makes the one request if none is outstanding, no worker lingers, and a worker is idle or may be started. A full fence
    /// whatever comes out. Never waits: where the stack is locked, the wake is left to the lock's holder (T15).</summary>
    public RequestOutcome Request(uint now)
    {
        while (true)
        {
            ulong seen = Volatile.Read(ref *Word);
            Chaos.Point("ManagedWorkerSignal.Request, word read");
            RequestOutcome outcome = RequestOutcome.NotNeeded;
            ulong next = seen;
            ulong stamped = (seen & ~SignalWord.StampMask) | ((ulong)now << SignalWord.StampShift) | SignalWord.Requested;
            if ((seen & (SignalWord.Requested | SignalWord.Lingering)) != 0)
            {
                // Whoever clears the bit scans afterwards.
            }
            else if ((seen & SignalWord.IdleMask) != 0)
            {
                outcome = RequestOutcome.Woke;
                next = stamped | SignalWord.WakeOwed | SignalWord.Locked;
            }
            else if ((seen & SignalWord.Growable) != 0)
            {
                outcome = RequestOutcome.StartThread;
                next = stamped;
            }

            if (TryChange(seen, next))
            {
                Chaos.Point("ManagedWorkerSignal.Request, requested");
                if (outcome == RequestOutcome.Woke && (seen & SignalWord.Locked) == 0)
                {
                    Unlock(0, 0);
                }

                return outcome;
            }
        }
    }

    /// <summary>Makes the parker of one more worker.</summary>
    /// <exception cref="InvalidOperationException">There are as many as the word can count.</exception>
    public ManagedWorker CreateWorker()
    {
        if (Interlocked.Increment(ref _workers) <= MostWorkers)
        {
            return new ManagedWorker(this);
        }

        Interlocked.Decrement(ref _workers);
        throw new InvalidOperationException($"A pool cannot have more than {MostWorkers} threads.");
    }

    /// <summary>A worker has gone.</summary>
    public void RemoveWorker() => Interlocked.Decrement(ref _workers);

    /// <summary>Pushes and counts a worker: one step for every observer. <see langword="false"/>: it was to be the sentinel, and there is one.</summary>
    public bool Announce(ManagedParker parker, bool asSentinel)
    {
        Chaos.Point("ManagedWorkerSignal.Announce");
        if (asSentinel && HasSentinel)
        {
            return false;
        }

        Lock();
        if (asSentinel && HasSentinel) // set and cleared under the lock only
        {
            Unlock(0, 0);
            return false;
        }

        parker.IsSentinel = asSentinel;
        _stack.Push(parker);
        Chaos.Point("ManagedWorkerSignal.Announce, pushed");
        Unlock(SignalWord.IdleOne, asSentinel ? SignalWord.Sentinel : 0); // may choose this very worker
        return true;
    }

    /// <summary>Takes an announcement back; <see langword="true"/>: the worker was chosen before that, or a wake was owed, which it takes.</summary>
    public bool Withdraw(ManagedParker parker)
    {
        Chaos.Point("ManagedWorkerSignal.Withdraw");
        Lock();
        if (!parker.IsStacked)
        {
            Unlock(0, 0);
            Chaos.Point("ManagedWorkerSignal.Withdraw, was popped");
            parker.ConsumeToken(); // T12
            return true;
        }

        _stack.Remove(parker);
        Chaos.Point("ManagedWorkerSignal.Withdraw, removed");
        while (true)
        {
            ulong seen = Volatile.Read(ref *Word);
            if (TryChange(seen, Without(seen, parker) & ~(SignalWord.WakeOwed | SignalWord.Locked)))
            {
                return (seen & SignalWord.WakeOwed) != 0;
            }
        }
    }

    private bool HasSentinel => (Volatile.Read(ref *Word) & SignalWord.Sentinel) != 0;

    /// <summary>Clears LOCKED, adding what the caller has done under it, and pays a wake that is owed: behind the unlocking (T52).</summary>
    private void Unlock(ulong idleAdded, ulong flagsAdded)
    {
        ManagedParker? chosen = null;
        while (true)
        {
            ulong seen = Volatile.Read(ref *Word);
            Chaos.Point("ManagedWorkerSignal.Unlock"); // a request that comes now is owed a wake
            Debug.Assert((seen & SignalWord.Locked) != 0);
            ulong next = ((seen + idleAdded) | flagsAdded) & ~SignalWord.Locked;
            if ((seen & SignalWord.WakeOwed) != 0) // nobody but this thread clears it: what was popped stays popped
            {
                if (chosen is null)
                {
                    chosen = _stack.Pop();
                    Chaos.Point("ManagedWorkerSignal.Unlock, popped");
                }

                next = Without(next, chosen) & ~SignalWord.WakeOwed;
            }

            if (TryChange(seen, next))
            {
                break;
            }
        }

        if (chosen is not null && chosen.Grant())
        {
            Interlocked.Increment(ref _wakes);
        }
    }

    private void Lock() => LockBit.Set(ref *Word, SignalWord.Locked);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryChange(ulong seen, ulong next) => Interlocked.CompareExchange(ref *Word, next, seen) == seen;

    /// <summary>Counts a popped or removed worker off.</summary>
    private static ulong Without(ulong word, ManagedParker parker)
    {
        Debug.Assert((word & SignalWord.IdleMask) != 0); // T24
        Debug.Assert(!parker.IsSentinel || (word & SignalWord.Sentinel) != 0);
        return (word - SignalWord.IdleOne) & ~(parker.IsSentinel ? SignalWord.Sentinel : 0);
    }
}
