using NativeThreading.Waiting;
using NativeThreading.Workers;

namespace NativeThreading.Limits;

/// <summary>
/// The places of a pool whose queue is limited. An item takes one before it is published and leaves it when it begins,
/// so there are never more items waiting than places.
/// </summary>
/// <remarks>
/// <para>One word holds the number of places taken and the bit LINE, which is set exactly while callers stand in line
/// (outside the lock). Whoever finds the bit set takes no place, however many are free: nobody overtakes the line.</para>
/// <para>Why nobody waits beside a free place: a caller sets LINE, joins the line and then looks for places; who leaves a
/// place looks at LINE in the same interlocked operation that gives the place back. Both change one word, so one of them
/// is first, and the other one sees it. The model is native/models/queue_places.pml.</para>
/// <para>Places are granted under the lock, and what was waiting is published there as well, so that items begin in the
/// order of the line. Nothing else happens under the lock: no request, no continuation, no foreign code.</para>
/// </remarks>
internal sealed class QueuePlaces(NativeThreadPool pool, int limit)
{
    private const long Line = 1L << 62;
    private const long TakenMask = uint.MaxValue;

    private readonly UninterruptedLock _lock = new();
    private readonly WaitingLine _line = new(); // under the lock
    private bool _closedToOutside; // under the lock
    private bool _closed; // under the lock
    private OwnCounter _word;

    /// <summary>How many items may wait.</summary>
    public int Limit => limit;

    /// <summary>Places taken at this moment.</summary>
    public int Taken => (int)(Volatile.Read(ref _word.Value) & TakenMask);

    /// <summary>Callers that stand in line at this moment.</summary>
    public int LineLength
    {
        get
        {
            using (_lock.EnterScope())
            {
                return _line.Count;
            }
        }
    }

    /// <summary>What the items carry that flow no context: one object for all of them.</summary>
    public AdmittedContext Unflowed => field ??= new AdmittedContext(this, null);

    /// <summary>Takes places for that many items, all or none; none while callers stand in line.</summary>
    public bool TryEnter(int count = 1)
    {
        long word = Volatile.Read(ref _word.Value);
        while ((word & Line) == 0 && count <= limit - (word & TakenMask))
        {
            Chaos.Point("QueuePlaces.TryEnter, word read");
            long seen = Interlocked.CompareExchange(ref _word.Value, word + count, word);
            if (seen == word)
            {
                return true;
            }

            word = seen;
        }

        return false;
    }

    /// <summary>Gives a place back: its item has begun, or will never.</summary>
    public void Leave()
    {
        Chaos.Point("QueuePlaces.Leave");
        if ((Interlocked.Decrement(ref _word.Value) & Line) != 0)
        {
            Chaos.Point("QueuePlaces.Leave, line seen");
            GrantPlaces();
        }
    }

    /// <summary>Joins the line; <see langword="false"/>: the pool accepts no more.</summary>
    public bool TryJoin(WaitingItem item)
    {
        using (_lock.EnterScope())
        {
            if (_closed || (_closedToOutside && item.IsFromOutside))
            {
                return false;
            }

            Chaos.Point("QueuePlaces.TryJoin");
            Interlocked.Or(ref _word.Value, Line); // before it joins: from then on nobody overtakes it
            Chaos.Point("QueuePlaces.TryJoin, line set");
            _line.Add(item);
        }

        Chaos.Point("QueuePlaces.TryJoin, joined");
        GrantPlaces(); // a place may have been left between the caller's last look and the bit
        return true;
    }

    /// <summary>Leaves the line; <see langword="false"/>: the item is not, or no longer, in it.</summary>
    public bool TryQuit(WaitingItem item)
    {
        Chaos.Point("QueuePlaces.TryQuit");
        using (_lock.EnterScope())
        {
            if (!_line.Remove(item))
            {
                return false;
            }

            EndEmptyLine();
            return true;
        }
    }

    /// <summary>The pool drains (<paramref name="toOutside"/>), or has stopped: those in line are told, and nobody joins any more.</summary>
    public void Close(bool toOutside)
    {
        var refused = new List<WaitingItem>();
        using (_lock.EnterScope())
        {
            _closedToOutside = true;
            _closed |= !toOutside;
            _line.RemoveAll(item => item.IsFromOutside || !toOutside, refused);
            EndEmptyLine();
        }

        Chaos.Point("QueuePlaces.Close, closed");
        foreach (WaitingItem item in refused)
        {
            item.Refused(pool.ShutDownError());
        }
    }

    private void GrantPlaces()
    {
        WaitingItem? granted = null;
        WaitingItem? last = null;
        using (_lock.EnterScope())
        {
            while (_line.First is { } item && TryTakeForLine())
            {
                _line.Remove(item);
                Chaos.Point("QueuePlaces.GrantPlaces, place taken");
                if (!TryPublish(item) && item.TryForgoPlace())
                {
                    Interlocked.Decrement(ref _word.Value);
                }

                _ = last is null ? granted = item : last.NextGranted = item;
                last = item;
            }

            EndEmptyLine();
        }

        if (granted is null)
        {
            return;
        }

        Chaos.Point("QueuePlaces.GrantPlaces, published");
        pool.AfterOutsidePublication();
        for (WaitingItem? item = granted; item is not null; item = item.NextGranted)
        {
            item.Granted();
        }
    }

    /// <summary>Out of memory is the waiting caller's to know, not that of the worker which happened to make the place.</summary>
    private static bool TryPublish(WaitingItem item)
    {
        try
        {
            item.Publish();
            return true;
        }
        catch (OutOfMemoryException exception)
        {
            item.Failure = exception;
            return false;
        }
    }

    private bool TryTakeForLine()
    {
        long word = Volatile.Read(ref _word.Value);
        while ((word & TakenMask) < limit)
        {
            Chaos.Point("QueuePlaces.TryTakeForLine, word read");
            long seen = Interlocked.CompareExchange(ref _word.Value, word + 1, word);
            if (seen == word)
            {
                return true;
            }

            word = seen;
        }

        return false;
    }

    /// <summary>Under the lock.</summary>
    private void EndEmptyLine()
    {
        if (_line.First is null)
        {
            Chaos.Point("QueuePlaces.EndEmptyLine");
            Interlocked.And(ref _word.Value, ~Line);
        }
    }
}
