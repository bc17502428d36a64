using System.Diagnostics;
using NativeThreading.Dashboard.Json;
using NativeThreading.Diagnostics;
using NativeThreading.Hosting;

namespace NativeThreading.Dashboard.Sampling;

/// <summary>Makes samples of what an observer sees, each with what has changed since the one before. Not thread-safe.</summary>
internal sealed class SampleMaker(string processName, TimeProvider clock, PoolConditions conditions)
{
    private readonly Dictionary<int, PoolSnapshot> _before = []; // by id
    private (long Time, TimeSpan Cpu, long Completed)? _last;
    private Sample? _sample;

    /// <summary>The next sample. Without a snapshot nothing has changed in pools and loops, and nothing is wrong.</summary>
    public Sample Next(ThreadSnapshot? snapshot, long sequence)
    {
        long now = clock.GetTimestamp();
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        long completed = ThreadPool.CompletedWorkItemCount;
        double elapsed = clock.GetElapsedTime(_last?.Time ?? now, now).TotalSeconds; // of the first sample 0: no rates yet
        DateTime time = clock.GetUtcNow().UtcDateTime;
        ThreadPool.GetMinThreads(out int minThreads, out _);
        double? Rate(double? change) => elapsed > 0 ? Rounded(change / elapsed) : null;
        _sample = new Sample(
            1,
            sequence,
            time,
            Rounded(elapsed * 1000),
            ProcessFacts.Now(processName, Rate((cpu - _last?.Cpu)?.TotalSeconds), time),
            snapshot is null ? [] : conditions.Judge(snapshot),
            new RuntimePoolSample(ThreadPool.ThreadCount, minThreads, ThreadPool.PendingWorkItemCount, completed, Rate(completed - _last?.Completed)),
            snapshot is null ? _sample!.Pools : [.. snapshot.Pools.Select(pool => Of(pool, _before.GetValueOrDefault(pool.Id), Rate))],
            snapshot is null ? _sample!.Loops : [.. snapshot.Loops.Select(loop => Of(loop, Rate))]);
        if (snapshot is not null)
        {
            Remember(snapshot);
        }

        _last = (now, cpu, completed);
        return _sample;
    }

    /// <summary>What has happened before this snapshot, and no sample has said, is forgotten.</summary>
    public void Forget(ThreadSnapshot snapshot)
    {
        Remember(snapshot);
        _last = (clock.GetTimestamp(), Environment.CpuUsage.TotalTime, ThreadPool.CompletedWorkItemCount);
    }

    private void Remember(ThreadSnapshot snapshot)
    {
        _before.Clear(); // without pools that have stopped
        foreach (PoolSnapshot pool in snapshot.Pools)
        {
            _before[pool.Id] = pool;
        }
    }

    public static double Milliseconds(TimeSpan time) => Rounded(time.TotalMilliseconds);

    public static WorkerSample Of(WorkerSnapshot worker) => new(
        worker.Name,
        worker.State switch
        {
            WorkerState.Starting => "starting",
            WorkerState.Running => "running",
            WorkerState.Blocked => "blocked",
            WorkerState.InBlockingRegion => "region",
            WorkerState.WaitingForGroup => "group",
            WorkerState.Parked => "parked",
            WorkerState.InReserve => "reserve",
            _ => throw new UnreachableException(),
        },
        worker.InStateFor is { } since ? Milliseconds(since) : null,
        worker.IsAtLeast,
        worker.Item is { } item ? new ItemSample(item.Name, item.Type ?? "", item.Method ?? "?", Milliseconds(item.Duration)) : null,
        worker.WaitChannel,
        worker.CompletedWorkItemCount);

    private static PoolSample Of(PoolSnapshot pool, PoolSnapshot? before, Func<double?, double?> rate)
    {
        before ??= pool; // first seen: nothing has happened yet
        return new PoolSample(
            pool.Id,
            pool.Name,
            pool.IsShuttingDown ? "draining" : "running",
            pool.MinThreads,
            pool.MaxThreads,
            pool.MaxBlockedThreads,
            pool.MaxRescueThreads,
            pool.QueueLimit,
            Count(pool),
            pool.RescueThreadCount,
            new QueueSample(pool.QueueLength, OldestOf(pool)),
            pool.CompletedWorkItemCount,
            rate(pool.CompletedWorkItemCount - before.CompletedWorkItemCount),
            pool.ReplacementCount - before.ReplacementCount,
            pool.RescueCount - before.RescueCount,
            pool.RefusalCount - before.RefusalCount,
            pool.StealCount - before.StealCount,
            pool.WakeCount - before.WakeCount,
            pool.QueueWaits is { } waits ? Of(waits) : null,
            [.. pool.Workers.Select(Of)]);
    }

    /// <summary>An empty queue has no oldest item. An age of zero is no age: the pool saw the item for the first time.</summary>
    private static double? OldestOf(PoolSnapshot pool) =>
        pool.QueueLength != 0 && pool.OldestWorkItemAge > TimeSpan.Zero ? Milliseconds(pool.OldestWorkItemAge) : null;

    private static ThreadCounts Count(PoolSnapshot pool)
    {
        int blocked = pool.Workers.Count(static worker => worker.State is WorkerState.Blocked or WorkerState.InBlockingRegion or WorkerState.WaitingForGroup);
        int parked = pool.Workers.Count(static worker => worker.State == WorkerState.Parked);
        int reserve = pool.Workers.Count(static worker => worker.State == WorkerState.InReserve);
        return new ThreadCounts(pool.Workers.Count - blocked - parked - reserve, blocked, parked, reserve, pool.LongRunningThreadCount);
    }

    private static LatencySample Of(QueueWaits waits)
    {
        return new LatencySample(At(0.5), At(0.99), At(0.999), [.. QueueWaits.Bounds.Select(static bound => bound.TotalMicroseconds)], waits.Counts);

        double At(double share) => Rounded(waits.Percentile(share).TotalMicroseconds);
    }

    private static LoopSample Of(LoopSnapshot loop, Func<double?, double?> rate) => new(
        loop.Id,
        loop.Name,
        loop.PendingCallbackCount,
        rate(loop.TurnCount),
        Milliseconds(loop.LongestTurn),
        Rounded(loop.BusyShare),
        loop.ArmedTimerCount,
        loop.RegistrationCount);

    private static double Rounded(double value) => Math.Round(value, 3);

    private static double? Rounded(double? value) => value is { } known ? Rounded(known) : null;
}

/// <summary>What each worker runs and what it waits in. Not its frames: the runtime does not show those of another thread inside the
/// process without stopping all of it (docs/guides/observe.md).</summary>
internal static class Stacks
{
    public static StacksSample Take(TimeProvider clock)
    {
        using var observer = new ThreadObserver(); // of its own: the samples of others lack nothing
        return new StacksSample(
            1,
            clock.GetUtcNow().UtcDateTime,
            [.. from pool in observer.TakeSnapshot().Pools
                from worker in pool.Workers
                let of = SampleMaker.Of(worker)
                select new ThreadSample(pool.Name, of.Name, of.State, of.Item, of.WaitsIn)]);
    }
}
