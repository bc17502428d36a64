using NativeThreading.Queues;

namespace NativeThreading.Diagnostics;

/// <summary>Earlier snapshots of one queue. They show since when the item at the head has certainly waited, although items carry no time.</summary>
internal sealed class QueueHistory
{
    private readonly List<(long Time, QueueSnapshot Snapshot)> _looks = [];

    /// <summary>Adds a snapshot. Returns the time of the first that has the oldest item; <see langword="null"/>: the queue is empty.</summary>
    public long? Add(QueueSnapshot snapshot, long now)
    {
        if (snapshot.IsEmpty)
        {
            _looks.Clear();
            return null;
        }

        // A position that a snapshot saw filled stays so until the head has passed it, or enough items have left at the tail. A snapshot whose tail
        // is not beyond the head has become useless.
        int passed = 0;
        while (passed < _looks.Count && !Reaches(_looks[passed].Snapshot, snapshot))
        {
            passed++;
        }

        _looks.RemoveRange(0, passed);
        // The time between two kept snapshots grows with the time that all of them span. So their number grows only with the logarithm of that time.
        if (_looks.Count == 0 || now - _looks[^1].Time >= (now - _looks[0].Time) / StarvationTuning.AgeParts)
        {
            _looks.Add((now, snapshot));
        }

        return _looks[0].Time;
    }

    /// <summary>Whether the item at the head now is in the earlier snapshot.</summary>
    private static bool Reaches(QueueSnapshot earlier, QueueSnapshot now)
    {
        int removed = unchecked(now.Removed - earlier.Removed);
        removed += removed != 0 ? 1 : 0; // and an item that is being taken now
        return unchecked(earlier.Tail - removed - now.Head) > 0;
    }
}
