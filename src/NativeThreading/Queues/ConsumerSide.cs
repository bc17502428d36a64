using System.Runtime.CompilerServices;
using NativeThreading.Platform;

namespace NativeThreading.Queues;

/// <summary>Where the consumers of a shard meet: the segment that they empty, how far they have come in it, and the lock by which they exclude each
/// other. Producers never touch it.</summary>
internal struct ConsumerSide(InjectorSegment first)
{
    private PaddedIndex _lock;

    /// <summary>The slot of <see cref="First"/> that holds the oldest item. Written under the lock.</summary>
    public PaddedIndex Head;

    /// <summary>The segment of the oldest item. Written under the lock.</summary>
    public InjectorSegment First = first;

    /// <summary>Whether no item is ready. A plain read of one slot; polling it disturbs no thread.</summary>
    public bool IsEmpty
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            Counters.Add(Counted.ShardLook);
            InjectorSegment first = Volatile.Read(ref First);
            Chaos.Point("ConsumerSide.IsEmpty, segment read");
            int head = Volatile.Read(ref Head.Value);

            Chaos.Point("ConsumerSide.IsEmpty, segment and head read");

            // The two may belong to different moments. Then a consumer is taking items now, and scans again itself.
            return head < InjectorSegment.Size ? !first.IsFilled(head) : first.Next is not { } next || !next.IsFilled(0);
        }
    }

    /// <summary>Takes the lock, unless the shard is empty or another consumer holds it.</summary>
    public bool TryEnter()
    {
        if (IsEmpty)
        {
            return false;
        }

        bool isMine = Interlocked.CompareExchange(ref _lock.Value, 1, 0) == 0;
        Counters.Add(isMine ? Counted.ShardLock : Counted.ShardLockMiss);
        return isMine;
    }

    /// <summary>Waits for the lock, which others hold briefly.</summary>
    public void Enter()
    {
        var spin = default(UninterruptedSpin);
        while (Interlocked.CompareExchange(ref _lock.Value, 1, 0) != 0)
        {
            spin.Once(); // yields: the holder may have been pre-empted (T31, T60)
        }
    }

    /// <summary>Leaves the lock. Release: pairs with the exchanges of those who enter.</summary>
    public void Exit()
    {
        Chaos.Point("ConsumerSide.Exit");
        Volatile.Write(ref _lock.Value, 0);
    }
}
