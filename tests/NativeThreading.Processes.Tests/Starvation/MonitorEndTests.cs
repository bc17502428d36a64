using System.Runtime.CompilerServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Starvation;

/// <summary>The monitor's thread ends where no pool is left that holds it, collected ones included.</summary>
public sealed class MonitorEndTests
{
    /// <summary>What the monitor's frame keeps of a pool it has looked at depends on how far the compiler has got with it.</summary>
    [Theory]
    [InlineData("DOTNET_TieredCompilation", "1")]
    [InlineData("DOTNET_TieredCompilation", "0")]
    [InlineData("DOTNET_JITMinOpts", "1")]
    public async Task T85_MonitorEndsWithTheLastPool(string setting, string value)
    {
        ChildProcess.Result result = await ChildProcess.RunAsync(MonitorOutlivesNoPool, (setting, value));
        Assert.True(result.ExitCode == 0, result.ToString());
    }

    private static int MonitorOutlivesNoPool()
    {
        if (IsMonitorThere())
        {
            return 1;
        }

        var disposed = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1 });
        disposed.OnWorker(static () => { });
        if (!IsMonitorThere())
        {
            return 2;
        }

        disposed.Dispose();
        Deadline.Until(static () => !IsMonitorThere(), "it ends after the pool has been disposed of");
        foreach (bool isLookedAt in (bool[])[false, true])
        {
            Forget(isLookedAt);
            Deadline.Until(
                static () =>
                {
                    GC.Collect();
                    return !IsMonitorThere();
                },
                $"it ends after the pool has been collected; it had looked at it: {isLookedAt}");
        }

        return 0;

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Forget(bool isLookedAt)
        {
            var forgotten = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, IdleTimeout = TimeSpan.FromMilliseconds(1) });
            forgotten.OnWorker(static () => { });
            if (isLookedAt)
            {
                using var blocked = new BlockedWorkers(forgotten, 1);
                forgotten.OnWorker(static () => { }); // needs the monitor
            }

            Deadline.Until(() => forgotten.ThreadCount == 0);
        }
    }

    private static bool IsMonitorThere() => Directory.EnumerateDirectories("/proc/self/task").Any(static task =>
    {
        try
        {
            return File.ReadAllText(task + "/comm").TrimEnd() == PoolProbe.MonitorName;
        }
        catch (IOException)
        {
            return false; // it ended between the listing and the read
        }
    });
}
