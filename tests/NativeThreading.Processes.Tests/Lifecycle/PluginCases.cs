using System.Diagnostics.Metrics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Lifecycle;

/// <summary>What plug-ins do with the library before they are unloaded. Run inside <see cref="Plugin"/>.</summary>
internal static class PluginCases
{
    public static void UsePool()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "plugin", MaxThreads = 2 });
        Use(pool);
    }

    public static void UseLoop()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "plugin", MaxThreads = 2 });
        using var loop = new EventLoop(new EventLoopOptions { Name = "plugin-loop" });
        Deadline.Wait(loop.InvokeAsync(async () =>
        {
            await Task.Delay(TimeSpan.FromMilliseconds(1), loop.TimeProvider);
            await loop.OffloadAsync(pool, static () => 42);
        }));
    }

    /// <summary>Work that waits behind blocked threads: the process's monitor has been at work.</summary>
    public static void Block()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "plugin", MaxThreads = 1 });
        using var behind = new ManualResetEventSlim();
        Task blocked = pool.Run(() => Deadline.Wait(behind));
        Deadline.Wait(pool.Run(behind.Set));
        Deadline.Wait(blocked);
    }

    /// <summary>The pool that no code can dispose.</summary>
    public static void UseShared() => Use(NativeThreadPool.Shared);

    /// <summary>A factory that makes meters and forgets them: no other code disposes this one.</summary>
    public static void UseFactory()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "plugin" }, new ForgetfulFactory());
        Use(pool);
    }

    private static void Use(NativeThreadPool pool)
    {
        using var done = new CountdownEvent(100);
        for (int i = 0; i < 100; i++)
        {
            pool.QueueUserWorkItem(static signal => signal.Signal(), done, preferLocal: i % 2 == 0);
        }

        Deadline.Wait(done);
        Deadline.Wait(pool.Run(static async () =>
        {
            await Task.Yield();
            await Task.Delay(1);
        }));
        var group = new WorkGroup(pool);
        group.QueueRange<int>(static _ => { }, Enumerable.Range(0, 100).ToArray());
        group.Wait();
        using var semaphore = new LifoSemaphore();
        semaphore.Release(1);
        Assert.True(semaphore.Wait(Deadline.Time));
    }

    private sealed class ForgetfulFactory : IMeterFactory
    {
        public Meter Create(MeterOptions options) => new(options);

        public void Dispose()
        {
        }
    }
}
