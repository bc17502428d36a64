using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Starvation;

/// <summary>The monitor's thread is there for as long as a pool holds it.</summary>
public sealed class MonitorThreadTests
{
    /// <summary>In a process of its own, where no other pool holds the thread.</summary>
    [Fact]
    public async Task PoolThatComesWhileTheThreadIsAboutToLeave_KeepsIt()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(ComeWhileItLeaves);
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    private static int ComeWhileItLeaves()
    {
        using (NativeThreadPool last = Pools.WithThreads(1))
        {
            last.OnWorker(static () => { });
        }

        // The thread stays for a second more. This pool finds it there, and wakes no thread.
        long came = Stopwatch.GetTimestamp();
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, MaxBlockedThreads = 1 });
        pool.OnWorker(static () => { });
        Deadline.Until(() => Stopwatch.GetElapsedTime(came) > TimeSpan.FromSeconds(1.5));
        if (!PoolProbe.IsMonitorThere)
        {
            return 1;
        }

        // And it still monitors that pool.
        pool.OnWorker(() =>
        {
            using var ran = new ManualResetEventSlim();
            pool.UnsafeQueueUserWorkItem(_ => ran.Set(), null);
            Deadline.Wait(ran);
        });
        return 0;
    }
}
