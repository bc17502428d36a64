using System.Diagnostics;
using System.Globalization;
using NativeThreading.Interop;
using NativeThreading.Tests.Native;
using NativeThreading.Tests.Support;
using NativeThreading.Workers;

namespace NativeThreading.Tests.SoakTests;

/// <summary>Who lingers, over whole pools and whole processes.</summary>
public sealed class LingerBudgetTests : SoakTest
{
    [Fact]
    public void T46_WhileThePlaceIsTaken_NoPoolOfTheProcessLingers()
    {
        NativeThreadPool[] pools = [NewFullPool(4), NewFullPool(4), NewFullPool(4)];
        Deadline.Until(() => NativeMethods.nth_linger_acquire((int)LingerKind.IdleWorker) == 1 || NativeMethods.nth_usable_cpus() == 1);
        ulong seen = 0;
        try
        {
            RoundTrips(pools, times: 2_000, () => Array.ForEach(pools, pool => seen |= pool.Signal.Word & WorkerSignal.Lingering));
        }
        finally
        {
            if (NativeMethods.nth_usable_cpus() > 1)
            {
                NativeMethods.nth_linger_release((int)LingerKind.IdleWorker);
            }
        }

        Assert.Equal(0UL, seen);
    }

    [Fact]
    public void LingeringDoesHappen_WhereItMay()
    {
        // Without this the tests that see none would prove nothing.
        NativeThreadPool[] pools = [NewFullPool(2)];
        ulong seen = 0;
        RoundTrips(pools, times: 20_000, () => seen |= pools[0].Signal.Word & WorkerSignal.Lingering);
        Assert.Equal(NativeMethods.nth_usable_cpus() > 1 ? WorkerSignal.Lingering : 0, seen);
    }

    [Fact]
    public void T47_ZeroLingerTime_NeverLingers()
    {
        NativeThreadPool[] pools = [NewFullPool(2, options => options.LingerTime = TimeSpan.Zero)];
        ulong seen = 0;
        RoundTrips(pools, times: 2_000, () => seen |= pools[0].Signal.Word & WorkerSignal.Lingering);
        Assert.Equal(0UL, seen);
    }

    [Fact]
    public async Task T30_T49_OneCpuFromTheStart_NobodyLingers()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(PinnedAtFirst);
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    [Fact]
    public async Task T49_NarrowedToOneCpuWhileRunning_LingeringStops()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(PinnedLater);
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    private static int PinnedAtFirst()
    {
        PinToOneCpu();
        Assert.Equal(1, NativeMethods.nth_usable_cpus());
        Assert.Equal(0, NativeMethods.nth_wake_latency_ns());
        return LingeringSeen() ? 1 : 0;
    }

    private static int PinnedLater()
    {
        Assert.True(NativeMethods.nth_usable_cpus() == 1 || LingeringSeen(), "Nobody lingered before.");
        PinToOneCpu();
        return LingeringSeen() ? 1 : 0;
    }

    private static bool LingeringSeen()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        ulong seen = 0;
        RoundTrips([pool], times: 20_000, () => seen |= pool.Signal.Word & WorkerSignal.Lingering);
        return seen != 0;
    }

    // All threads of the process, those that exist and those to come.
    private static void PinToOneCpu()
    {
        string id = Environment.ProcessId.ToString(CultureInfo.InvariantCulture);
        CommandLine.Result result = CommandLine.RunAsync("taskset", ["-a", "-c", "-p", "0", id], ".", Deadline.Time).GetAwaiter().GetResult();
        Assert.True(result.ExitCode == 0, result.Output);
    }

    private static void RoundTrips(NativeThreadPool[] pools, int times, Action look)
    {
        var budget = Stopwatch.StartNew();
        for (int i = 0; i < times && budget.Elapsed < TimeSpan.FromSeconds(3); i++)
        {
            int ran = 0;
            foreach (NativeThreadPool pool in pools)
            {
                pool.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref ran), null);
            }

            for (var spinner = new SpinWait(); Volatile.Read(ref ran) != pools.Length; spinner.SpinOnce(sleep1Threshold: -1))
            {
                look();
            }

            look();
        }
    }
}
