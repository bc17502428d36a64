using NativeThreading.Platform;

namespace NativeThreading.Scheduling;

/// <summary>The records of a pool's workers, and the waits of those that have ended. Any thread.</summary>
internal sealed class ItemRecords
{
    private readonly UninterruptedLock _lock = new();
    private readonly List<ItemRecord> _records = [];
    private readonly long[] _ofEnded = new long[WaitCounts.Bounds.Length + 1];

    /// <summary>A record for the calling worker; <see langword="null"/> where there is no memory for it.</summary>
    public ItemRecord? Add()
    {
        try
        {
            var record = new ItemRecord();
            using var held = _lock.EnterScope();
            _records.Add(record);
            return record;
        }
        catch (OutOfMemoryException)
        {
            return null;
        }
    }

    /// <summary>How many items have waited how long, by the buckets of <see cref="WaitCounts.Bounds"/>: of all items recorded so far.</summary>
    /// <param name="workers">The pool's workers. Records of others are counted and forgotten.</param>
    public long[] SumWaits(Worker[] workers)
    {
        using var held = _lock.EnterScope();
        _records.RemoveAll(record =>
        {
            bool hasEnded = !Array.Exists(workers, worker => worker.Record == record);
            if (hasEnded)
            {
                record.Waits.AddTo(_ofEnded);
            }

            return hasEnded;
        });
        long[] sums = [.. _ofEnded];
        _records.ForEach(record => record.Waits.AddTo(sums));
        return sums;
    }
}
