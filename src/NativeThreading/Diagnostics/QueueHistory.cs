namespace NativeThreading.Diagnostics;

/// <summary>
/// How far one queue reached at earlier looks. From that follows since when the item at its head has certainly been
/// there, without a time in any item.
/// </summary>
internal sealed class QueueHistory
{
    private readonly List<(long Time, QueueSnapshot Snapshot)> _looks = [];

    /// <summary>Adds a look. Returns since when the oldest item has been seen, or <see langword="null"/> if there is none.</summary>
    public long? Add(QueueSnapshot snapshot, long now)
    {
        if (snapshot.IsEmpty)
        {
            _looks.Clear();
            return null;
        }

        // What a look saw filled stays filled until the head has passed it, or as many have left at the tail. A look that
        // does not reach beyond the head says nothing any more, nor ever again.
        int passed = 0;
        while (passed < _looks.Count && !Reaches(_looks[passed].Snapshot, snapshot))
        {
            passed++;
        }

        _looks.RemoveRange(0, passed);
        if (_looks.Count == 0 || (now - _looks[^1].Time >= Spacing(now) && Brings(snapshot)))
        {
            if (_looks.Count == 2 * StarvationTuning.AgeParts)
            {
                Thin(Spacing(now));
            }

            _looks.Add((now, snapshot));
        }

        return _looks[0].Time;
    }

    /// <summary>Whether a look says anything that the last one did not.</summary>
    private bool Brings(QueueSnapshot snapshot) => _looks[^1].Snapshot with { Head = snapshot.Head } != snapshot;

    /// <summary>Whether the item at the head now was in the queue at an earlier look.</summary>
    private static bool Reaches(QueueSnapshot earlier, QueueSnapshot now)
    {
        int removed = unchecked(now.Removed - earlier.Removed);
        removed += removed != 0 ? 1 : 0; // the one that its taker has in hand
        return unchecked(earlier.Tail - removed - now.Head) > 0;
    }

    private long Spacing(long now) => (now - _looks[0].Time) / StarvationTuning.AgeParts;

    /// <summary>Drops looks that are closer together than that, from the time when they spanned less.</summary>
    private void Thin(long spacing)
    {
        int kept = 1;
        for (int i = 1; i < _looks.Count; i++)
        {
            if (_looks[i].Time - _looks[kept - 1].Time >= spacing)
            {
                _looks[kept++] = _looks[i];
            }
        }

        _looks.RemoveRange(kept, _looks.Count - kept);
    }
}
