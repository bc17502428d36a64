namespace NativeThreading.Diagnostics;

/// <summary>
/// How far one queue reached at earlier looks. From that follows since when the item at its head has certainly been
/// there, without a time in any item.
/// </summary>
internal sealed class QueueHistory
{
    /// <summary>Enough for ages to be right to a few per cent, however long the backlog stands.</summary>
    private const int MostLooks = 32;

    private readonly List<(long Time, QueueSight Sight)> _looks = [];

    /// <summary>Adds a look. Returns since when the oldest item has been seen, or <see langword="null"/> if there is none.</summary>
    public long? Add(QueueSight sight, long now)
    {
        if (sight.IsEmpty)
        {
            _looks.Clear();
            return null;
        }

        // What a look saw filled stays filled until the head has passed it, or as many have left at the tail. A look that
        // does not reach beyond the head says nothing any more, nor ever again.
        int passed = 0;
        while (passed < _looks.Count && !Reaches(_looks[passed].Sight, sight))
        {
            passed++;
        }

        _looks.RemoveRange(0, passed);
        if (_looks.Count == 0 || _looks[^1].Sight is var last && (last.Tail != sight.Tail || last.Removed != sight.Removed))
        {
            if (_looks.Count == MostLooks)
            {
                Thin();
            }

            _looks.Add((now, sight));
        }

        return _looks[0].Time;
    }

    /// <summary>Whether the item at the head now was in the queue at an earlier look.</summary>
    private static bool Reaches(QueueSight earlier, QueueSight now)
    {
        int removed = unchecked(now.Removed - earlier.Removed);
        removed += removed != 0 ? 1 : 0; // the one that its taker has in hand
        return unchecked(earlier.Tail - removed - now.Head) > 0;
    }

    /// <summary>Drops every other look; the first, which is the age of the oldest item, stays.</summary>
    private void Thin()
    {
        for (int i = _looks.Count - 1; i > 0; i -= 2)
        {
            _looks.RemoveAt(i);
        }
    }
}
