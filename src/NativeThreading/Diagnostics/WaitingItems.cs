using System.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Scheduling;

namespace NativeThreading.Diagnostics;

/// <summary>Computes how long the oldest item of a pool has been waiting, from snapshots of its queues.</summary>
internal sealed class WaitingItems(NativeThreadPool pool)
{
    private readonly UninterruptedLock _lock = new();
    private Dictionary<object, QueueHistory> _histories = [];
    private long _lastLook;

    /// <summary>Takes snapshots, unless the last ones are recent; for the monitor.</summary>
    public void LookNowAndThen()
    {
        if (Stopwatch.GetElapsedTime(Volatile.Read(ref _lastLook)) >= StarvationTuning.AgeLook)
        {
            Look();
        }
    }

    /// <summary>Takes a snapshot of all queues. Returns the age of the oldest item, zero if none waits.</summary>
    public TimeSpan Look()
    {
        using var held = _lock.EnterScope();
        long now = Stopwatch.GetTimestamp();
        Volatile.Write(ref _lastLook, now);
        long oldest = now;
        var histories = new Dictionary<object, QueueHistory>(); // without those of workers that have ended
        foreach (InjectorShard shard in pool.Injector.Shards)
        {
            Add(shard, shard.Snapshot);
        }

        foreach (Worker worker in pool.Workers)
        {
            foreach ((object queue, QueueSnapshot snapshot) in worker.Queues.Snapshots(worker.CompletedCount))
            {
                Add(queue, snapshot);
            }
        }

        _histories = histories;
        return Stopwatch.GetElapsedTime(oldest, now);

        void Add(object queue, QueueSnapshot snapshot)
        {
            if (!_histories.TryGetValue(queue, out QueueHistory? history))
            {
                if (snapshot.IsEmpty)
                {
                    return;
                }

                history = new QueueHistory();
            }

            if (history.Add(snapshot, now) is { } since)
            {
                histories[queue] = history;
                oldest = Math.Min(oldest, since);
            }
        }
    }
}
