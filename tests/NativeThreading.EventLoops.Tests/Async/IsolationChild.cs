using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Async;

/// <summary>A process whose runtime pool does nothing at all.</summary>
internal static class IsolationChild
{
    public static int RuntimesPoolIsBlocked()
    {
        BlockRuntimesPool();
        using var loop = new EventLoop();
        using NativeThreadPool pool = Pools.WithThreads(1);
        Task<int> all = loop.InvokeAsync(async () =>
        {
            int done = 0;
            await Task.Yield();
            await Task.Delay(TimeSpan.FromMilliseconds(1), loop.TimeProvider);
            for (int i = 0; i < 100; i++)
            {
                await loop.InvokeAsync(async () => await Task.Yield());
                done += await loop.OffloadAsync(pool, () => 1);
                done += await loop.OffloadAsync(pool, async () =>
                {
                    await Task.Yield();
                    return 1;
                });
            }

            return done;
        });
        return Deadline.Result(all) == 200 && ThreadPool.PendingWorkItemCount == 0 ? 0 : 1;
    }

    private static void BlockRuntimesPool()
    {
        int threads = Environment.ProcessorCount;
        ThreadPool.SetMinThreads(threads, 1);
        if (!ThreadPool.SetMaxThreads(threads, 1))
        {
            throw new InvalidOperationException("The built-in pool cannot be limited.");
        }

        using var blocked = new CountdownEvent(threads);
        for (int i = 0; i < threads; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    blocked.Signal();
                    Thread.Sleep(Timeout.Infinite);
                },
                null);
        }

        Deadline.Wait(blocked);
    }
}
