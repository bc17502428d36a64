using System.Collections.Concurrent;

namespace NativeThreading.Tests.Support;

/// <summary>A little of everything, with an account of it: what a process does while something befalls it.</summary>
internal static class Mixture
{
    /// <summary>One round: a pool and a loop that are made, used in every way, and drained. Throws unless all of it happened once.</summary>
    public static void Round()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "mixture", MaxThreads = 3 });
        using var loop = new EventLoop(new EventLoopOptions { Name = "mixed" });
        var ran = new ConcurrentDictionary<int, int>();
        void Ran(int item) => ran.AddOrUpdate(item, 1, static (_, times) => times + 1);

        for (int i = 0; i < 100; i++)
        {
            int item = i;
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    Ran(item);
                    pool.QueueUserWorkItem(Ran, 100 + item, preferLocal: true);
                },
                null);
        }

        var group = new WorkGroup(pool);
        group.QueueRange(Ran, [.. Enumerable.Range(200, 50)]);
        Task operation = pool.Run(async () =>
        {
            Ran(250);
            await Task.Yield();
            await Task.Delay(TimeSpan.FromMilliseconds(1), loop.TimeProvider);
            Ran(251);
        });
        loop.Post(_ => Ran(252), null);
        loop.Offload(pool, _ => Ran(253), _ => Ran(254), null);
        Assert.Equal(255, loop.Call(() => 255));
        Assert.True(group.Wait(Deadline.Time));
        Deadline.Wait(operation);
        Deadline.Wait(loop.ShutdownAsync(CancellationToken.None));
        Deadline.Wait(pool.ShutdownAsync(CancellationToken.None));
        Assert.Equal(255, ran.Count);
        Assert.All(ran.Values, static times => Assert.Equal(1, times));
    }

    /// <summary>One of two workers waits for an item that is queued behind it, so that it has to be found blocked.</summary>
    public static void BlockAndHeal()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "mixture", MaxThreads = 1 });
        using (new BlockedWorkers(pool, 1))
        {
            pool.OnWorker(static () => { });
        }

        Deadline.Wait(pool.ShutdownAsync(CancellationToken.None));
    }
}
