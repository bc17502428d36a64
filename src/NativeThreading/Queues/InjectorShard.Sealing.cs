using NativeThreading.Platform;

namespace NativeThreading.Queues;

/// <summary>Closing a shard, as an event loop does at its end: a producer that has claimed a slot is served, a later one is rejected.</summary>
internal sealed partial class InjectorShard
{
    /// <summary>Rejects items from now on, if every claimed slot has been filled and emptied: so each producer either was served or is rejected.
    /// Returns whether the shard is sealed.</summary>
    public bool TrySealDrained()
    {
        _consumer.Enter();
        if (_consumer.Head.Value == InjectorSegment.Size)
        {
            MoveToNextSegment();
        }

        Chaos.Point("InjectorShard.TrySealDrained, locked");
        bool isSealed = _producers.TrySeal(_consumer.First, _consumer.Head.Value);
        _consumer.Exit();
        return isSealed;
    }

    /// <summary>Rejects items from now on, even if items are inside. <see cref="TryTakeLast"/> takes those. May be repeated.</summary>
    public void Seal()
    {
        Chaos.Point("InjectorShard.Seal");
        _producers.Seal();
    }

    /// <summary>Takes one item of a sealed shard. Waits for a producer between its claim of a slot and the filling: a few instructions. <see
    /// langword="false"/>: all were taken.</summary>
    public bool TryTakeLast(ref WorkItem item)
    {
        UninterruptedSpin spin = default;
        while (true)
        {
            _consumer.Enter();
            bool taken = TryTakeOldest(ref item);
            Chaos.Point("InjectorShard.TryTakeLast, looked");
            InjectorSegment last = _producers.Last;
            bool isOver = !taken && _consumer.First == last && _consumer.Head.Value == last.Claimed;
            _consumer.Exit();
            if (taken || isOver)
            {
                return taken;
            }

            spin.Once(); // yields in the end: the producer may have been pre-empted (T31)
        }
    }
}
