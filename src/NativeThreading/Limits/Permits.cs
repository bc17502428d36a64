using NativeThreading.Platform;
using NativeThreading.Scheduling;

namespace NativeThreading.Limits;

/// <summary>The permits of a pool whose queue is limited. An item acquires one before it is published and releases it when it
/// starts, so that there are never more items waiting than permits.</summary>
/// <remarks>
/// <para>One word holds the number of held permits and the bit WAITERS. Whenever the lock is free, the bit says whether callers
/// wait. A caller that finds it set acquires nothing, even where permits are free, so no caller overtakes the waiters.</para>
/// <para>Why no caller waits while a permit is free: a waiting caller sets WAITERS, joins the waiter list, and then checks for permits.
/// A release reads WAITERS in its interlocked operation. Both change one word, so the later one sees the earlier one. Model:
/// native/models/admission.pml.</para>
/// <para>Permits are granted, and the items of the waiters published, under the lock, so items start in the order of the waiter
/// list. Nothing else happens under the lock: no request, no continuation, no foreign code.</para>
/// </remarks>
internal sealed class Permits(NativeThreadPool pool, int limit)
{
    private const long Waiters = 1L << 62;
    private const long HeldMask = uint.MaxValue;

    private readonly UninterruptedLock _lock = new();
    private readonly LinkedList<Waiter> _waiters = new(); // in the order of their arrival; under the lock
    private bool _closedToOutside; // under the lock
    private bool _closed; // under the lock
    private OwnCounter _word;

    /// <summary>How many items may wait.</summary>
    public int Limit => limit;

    /// <summary>Permits that are held at this moment.</summary>
    public int HeldCount => (int)(Volatile.Read(ref _word.Value) & HeldMask);

    /// <summary>Callers that wait for a permit at this moment.</summary>
    public int WaiterCount
    {
        get
        {
            using var held = _lock.EnterScope();
            return _waiters.Count;
        }
    }

    /// <summary>The context of all items that flow none.</summary>
    public AdmittedContext Unflowed => field ??= new AdmittedContext(this, null);

    /// <summary>Acquires permits for that many items, all or none; none while callers wait, unless it is for the first of them.</summary>
    public bool TryAcquire(int count = 1, bool evenBeforeWaiters = false)
    {
        long word = Volatile.Read(ref _word.Value);
        while ((evenBeforeWaiters || (word & Waiters) == 0) && count <= limit - (word & HeldMask))
        {
            Chaos.Point("Permits.TryAcquire, word read");
            long seen = Interlocked.CompareExchange(ref _word.Value, word + count, word);
            if (seen == word)
            {
                return true;
            }

            word = seen;
        }

        return false;
    }

    /// <summary>Gives a permit back: its item has started, or never will.</summary>
    public void Release()
    {
        Chaos.Point("Permits.Release");
        if ((Interlocked.Decrement(ref _word.Value) & Waiters) != 0)
        {
            Chaos.Point("Permits.Release, waiters seen");
            Grant();
        }
    }

    /// <summary>Joins the waiter list; <see langword="false"/>: the pool accepts no more.</summary>
    public bool TryJoin(Waiter waiter)
    {
        using (_lock.EnterScope())
        {
            if (_closed || (_closedToOutside && waiter.IsFromOutside))
            {
                return false;
            }

            LinkedListNode<Waiter> place = waiter.Place; // first: this needs memory
            Chaos.Point("Permits.TryJoin");
            Interlocked.Or(ref _word.Value, Waiters); // from now on no caller overtakes it
            Chaos.Point("Permits.TryJoin, bit set");
            _waiters.AddLast(place);
        }

        Chaos.Point("Permits.TryJoin, joined");
        Grant(); // a permit may have been released between the caller's last check and the bit
        return true;
    }

    /// <summary>Leaves the waiter list. <see langword="false"/>: the waiter is not there any more.</summary>
    public bool TryQuit(Waiter waiter)
    {
        Chaos.Point("Permits.TryQuit");
        using var held = _lock.EnterScope();
        if (waiter.Place.List is null)
        {
            return false;
        }

        _waiters.Remove(waiter.Place);
        ClearIfNobodyWaits();
        return true;
    }

    /// <summary>The pool drains (<paramref name="toOutside"/>) or has stopped: rejects its waiters, and all later callers. Where a token
    /// has stopped it, waiting calls of <c>RunAsync</c> are cancelled instead. Returns how many those are.</summary>
    public int Close(bool toOutside)
    {
        var refused = new List<Waiter>();
        using (_lock.EnterScope())
        {
            _closedToOutside = true;
            _closed |= !toOutside;
            foreach (Waiter waiter in _waiters)
            {
                if (waiter.IsFromOutside || !toOutside)
                {
                    refused.Add(waiter);
                }
            }

            refused.ForEach(waiter => _waiters.Remove(waiter.Place));
            ClearIfNobodyWaits();
        }

        Chaos.Point("Permits.Close, closed");
        int cancelled = 0;
        foreach (Waiter waiter in refused)
        {
            if (!toOutside && pool.StopToken is { } stopToken)
            {
                cancelled += waiter.Abandon(stopToken) ? 1 : 0;
            }
            else
            {
                waiter.Refused(pool.ShutDownError());
            }
        }

        return cancelled;
    }

    private void Grant()
    {
        Waiter? granted = null;
        Waiter? last = null;
        using (_lock.EnterScope())
        {
            while (_waiters.First is { Value: { } waiter } && TryAcquire(1, evenBeforeWaiters: true))
            {
                _waiters.RemoveFirst();
                Chaos.Point("Permits.Grant, acquired");
                if (!TryPublish(waiter) && waiter.TryForgoPermit())
                {
                    Interlocked.Decrement(ref _word.Value);
                }

                _ = last is null ? granted = waiter : last.NextGranted = waiter;
                last = waiter;
            }

            ClearIfNobodyWaits();
        }

        if (granted is null)
        {
            return;
        }

        Chaos.Point("Permits.Grant, published");
        pool.AfterOutsidePublication();
        for (Waiter? waiter = granted; waiter is not null; waiter = waiter.NextGranted)
        {
            waiter.Granted();
        }
    }

    /// <summary>Where memory is short, the waiting caller gets the exception, and not the worker that released the permit.</summary>
    private static bool TryPublish(Waiter waiter)
    {
        try
        {
            waiter.Publish();
            return true;
        }
        catch (OutOfMemoryException exception)
        {
            waiter.Failure = exception;
            return false;
        }
    }

    /// <summary>Under the lock.</summary>
    private void ClearIfNobodyWaits()
    {
        if (_waiters.Count == 0)
        {
            Chaos.Point("Permits.ClearIfNobodyWaits");
            Interlocked.And(ref _word.Value, ~Waiters);
        }
    }
}
