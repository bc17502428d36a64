using NativeThreading.Platform;

namespace NativeThreading.Queues;

/// <summary>Where the producers of a shard meet: the segment that they claim slots of, and the spares of which the next ones are made.</summary>
/// <remarks>Segments are used again, so a shard in steady use allocates nothing. A delayed producer may claim a slot of a segment that has meanwhile
/// been emptied and reopened. That is correct: a reopened segment is the last one.</remarks>
internal struct ProducerSide(InjectorSegment first)
{
    private readonly UninterruptedLock _appendLock = new();
    private SparePile _spares;
    private InjectorSegment _last = first;
    private bool _isSealed; // under the lock for appending

    /// <summary>The segment whose slots are claimed. Acquire: pairs with the release in <see cref="Append"/>.</summary>
    public readonly InjectorSegment Last => Volatile.Read(in _last);

    /// <summary>The segment to try next; <see langword="null"/>: the shard is sealed.</summary>
    public InjectorSegment? Append(InjectorSegment full)
    {
        using (_appendLock.EnterScope())
        {
            if (_isSealed)
            {
                _last.StaySealed();
                return null;
            }

            // The second test is for a producer that was delayed before the lock. The segment that it found full may meanwhile
            // have been emptied, reopened and become the last one again. Appending now would strand its free slots.
            if (_last != full || full.Claimed < InjectorSegment.Size)
            {
                return _last;
            }

            // Reopened and linked under the lock: a slot that a delayed producer claims is always in a segment that the
            // consumer will reach.
            InjectorSegment next = _spares.TryTake() ?? NewSegment();
            next.Reopen(full.Base + InjectorSegment.Size);
            Chaos.Point("ProducerSide.Append, reopened");
            full.Next = next;
            Chaos.Point("ProducerSide.Append, linked");
            Volatile.Write(ref _last, next);
            return next;
        }
    }

    /// <summary>Keeps a segment for a later append: all its slots were filled and emptied, so no producer writes to it any more. Under the consumer
    /// lock.</summary>
    public void Keep(InjectorSegment emptied) => _spares.Push(emptied);

    /// <summary>Gives back the memory of an earlier backlog.</summary>
    public void Trim()
    {
        using (_appendLock.EnterScope())
        {
            _spares.Clear();
        }
    }

    /// <summary>Rejects items from now on, if the consumer's segment is the last one, and exactly <paramref name="head"/> of its slots have been
    /// claimed. Returns whether the shard is sealed.</summary>
    public bool TrySeal(InjectorSegment first, int head)
    {
        using (_appendLock.EnterScope())
        {
            return _isSealed = _isSealed || (first == _last && _last.TrySeal(head));
        }
    }

    /// <summary>Rejects items from now on.</summary>
    public void Seal()
    {
        using (_appendLock.EnterScope())
        {
            while (!_isSealed)
            {
                Chaos.Point("ProducerSide.Seal");
                _isSealed = _last.TrySeal(_last.Claimed); // fails if a producer claims another slot meanwhile
            }
        }
    }

    private static InjectorSegment NewSegment()
    {
        Failpoints.Growth?.Invoke("segment");
        return new InjectorSegment();
    }
}

/// <summary>Emptied segments that a shard keeps for later: a lock-free stack, linked through the segments. Pushing neither allocates nor waits: the
/// pusher holds the consumer lock, and an exception would leave it held.</summary>
/// <remarks>One thread pushes at a time, under the shard's consumer lock, and one takes, under its append lock. A push next to a take is safe (no
/// ABA): a taken segment comes back only after the shard has filled and emptied it.</remarks>
internal struct SparePile
{
    private InjectorSegment? _top;

    /// <summary>Pushes a segment, unless the pile is full. Under the consumer lock.</summary>
    public void Push(InjectorSegment segment)
    {
        InjectorSegment? top = Volatile.Read(ref _top);
        while (segment.TryPutOnTop(top, QueueTuning.SpareSegments))
        {
            InjectorSegment? seen = Interlocked.CompareExchange(ref _top, segment, top);
            if (seen == top)
            {
                return;
            }

            top = seen;
        }
    }

    /// <summary>Takes the top segment; <see langword="null"/>: there is none. Under the append lock.</summary>
    public InjectorSegment? TryTake()
    {
        InjectorSegment? top = Volatile.Read(ref _top);
        while (top is not null)
        {
            InjectorSegment? seen = Interlocked.CompareExchange(ref _top, top.Below, top);
            if (seen == top)
            {
                top.LeavePile();
                return top;
            }

            top = seen;
        }

        return null;
    }

    /// <summary>Drops all. A segment pushed at this moment is dropped too, or stays. Under the append lock.</summary>
    public void Clear() => Volatile.Write(ref _top, null);
}
