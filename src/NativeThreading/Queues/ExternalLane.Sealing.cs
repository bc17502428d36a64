using NativeThreading.Waiting;

namespace NativeThreading.Queues;

/// <summary>The end of a lane that is closed one day, as an event loop's is: who has claimed a slot is served, nobody else.</summary>
internal sealed partial class ExternalLane
{
    private bool _isSealed; // under the lock for appending

    /// <summary>
    /// Refuses items from now on, provided that all were taken of which a slot was ever claimed: so whoever was admitted
    /// was served, and whoever comes later learns that he was not. Whether the lane is sealed.
    /// </summary>
    public bool TrySealDrained()
    {
        Lock();
        if (_consumer.Head.Value == ExternalSegment.Size)
        {
            MoveToNextSegment();
        }

        Chaos.Point("ExternalLane.TrySealDrained, locked");
        bool isSealed;
        using (_appendLock.EnterScope())
        {
            _isSealed = isSealed = _isSealed || (_consumer.First == _last && _last.TrySeal(_consumer.Head.Value));
        }

        Unlock();
        return isSealed;
    }

    /// <summary>Refuses items from now on, whatever is inside: <see cref="TryTakeLast"/> takes it. Harmless when repeated.</summary>
    public void Seal()
    {
        using (_appendLock.EnterScope())
        {
            while (!_isSealed)
            {
                Chaos.Point("ExternalLane.Seal");
                _isSealed = _last.TrySeal(_last.Claimed); // again where a producer has meanwhile claimed one more
            }
        }
    }

    /// <summary>
    /// Takes one item of a sealed lane, and waits for a producer that has claimed its slot and not filled it yet, which is a
    /// matter of a few instructions. <see langword="false"/>: all were taken.
    /// </summary>
    public bool TryTakeLast(ref WorkItem item)
    {
        UninterruptedSpin spin = default;
        while (true)
        {
            Lock();
            bool taken = TryTakeOldest(ref item);
            Chaos.Point("ExternalLane.TryTakeLast, looked");
            bool isOver = !taken && _consumer.First == _last && _consumer.Head.Value == _last.Claimed;
            Unlock();
            if (taken || isOver)
            {
                return taken;
            }

            spin.Once(); // yields in the end: the producer may be pre-empted (T31)
        }
    }
}
