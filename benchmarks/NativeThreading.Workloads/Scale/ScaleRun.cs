using System.Diagnostics;
using NativeThreading.Instrumentation;
using NativeThreading.Scheduling;
using NativeThreading.Workloads.Skynet;

namespace NativeThreading.Workloads.Scale;

/// <summary>Runs a shape on a pool with so many workers, all of which exist, and reads the counters before and after it.</summary>
internal static class ScaleRun
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(60);

    /// <summary>A pool of workers that stay; none is replaced, so their number is what the row says.</summary>
    public static OwnPool CreatePool(int workers)
    {
        var pool = new OwnPool(new NativeThreadPoolOptions
        {
            Name = $"scale-{workers}",
            MaxThreads = workers,
            MaxBlockedThreads = 0,
            IdleTimeout = Timeout.InfiniteTimeSpan,
        });
        pool.Fill(workers);
        return pool;
    }

    /// <returns>What was counted, and how long the work took.</returns>
    public static (long[] Counts, TimeSpan Elapsed) Measure(OwnPool pool, ScaleShape shape, int workers)
    {
        AwaitIdle(pool, workers);
        long completed = pool.Pool.CompletedWorkItemCount;
        long[] before = Counters.Read();
        long start = Stopwatch.GetTimestamp();
        bool ended = Run(pool, shape, workers);
        TimeSpan elapsed = Stopwatch.GetElapsedTime(start);
        AwaitIdle(pool, workers); // to park is part of the work
        long[] after = Counters.Read();

        long executed = pool.Pool.CompletedWorkItemCount - completed;
        if (!ended || executed != ScalePlan.Items(shape, workers))
        {
            throw new MeasurementException($"scale, {shape}, {workers} workers: {executed:N0} items were executed instead of {ScalePlan.Items(shape, workers):N0} (T122).");
        }

        return ([.. after.Zip(before, static (a, b) => a - b)], elapsed);
    }

    private static bool Run(OwnPool pool, ScaleShape shape, int workers) => shape switch
    {
        ScaleShape.QuwiGlobal => new ScaleChains(pool, workers, isLocal: false).Run(s_deadline),
        ScaleShape.QuwiLocal => new ScaleChains(pool, workers, isLocal: true).Run(s_deadline),
        ScaleShape.Skynet => new ScaleTree(pool).Grow(ScalePlan.Leaves(workers), s_deadline) == SkynetTree.Sum(ScalePlan.Leaves(workers)),
        ScaleShape.FanOut => FanOut(pool),
        _ => Serve(pool, workers),
    };

    private static bool FanOut(OwnPool pool)
    {
        var group = new WorkGroup(pool.Pool);
        for (int round = 0; round < ScalePlan.FanOutRounds; round++)
        {
            for (int i = 0; i < ScalePlan.FanOutItems; i++)
            {
                group.Queue(static _ => { }, group);
            }

            if (!group.Wait(s_deadline))
            {
                return false;
            }
        }

        return true;
    }

    private static bool Serve(OwnPool pool, int workers)
    {
        int clients = ScalePlan.Clients(workers);
        bool[] answered = new bool[clients];
        Thread[] threads = [.. Enumerable.Range(0, clients).Select(index => new Thread(() =>
        {
            using var client = new ScaleClient(pool, ScalePlan.Requests / clients);
            answered[index] = client.Run(s_deadline);
        }))];
        Array.ForEach(threads, static thread => thread.UnsafeStart());
        Array.ForEach(threads, static thread => thread.Join());
        return answered.All(static all => all);
    }

    private static void AwaitIdle(OwnPool pool, int workers)
    {
        long start = Stopwatch.GetTimestamp();
        while (WorkerSignal.IdleCount(pool.Pool.Signal.Word) != workers || pool.Pool.PendingWorkItemCount != 0)
        {
            if (Stopwatch.GetElapsedTime(start) > s_deadline)
            {
                throw new MeasurementException($"scale: the {workers} workers did not come to rest within {s_deadline.TotalSeconds} s.");
            }

            Thread.Sleep(1);
        }
    }
}
