using System.Globalization;
using NativeThreading.Platform;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>T30, T49: with one CPU no worker polls, from the start or from the moment at which the process is narrowed. It yields once instead.</summary>
[Trait("Category", "Soak")]
[NeedsNativeCore(NeedsNativeCoreAttribute.ChangingProcessors)]
public sealed class OneCpuTests
{
    [Fact]
    public Task T30_T49_OneCpuFromTheStart_NobodyLingers() => AssertSucceedsAsync(PinnedAtFirst);

    [Fact]
    public Task T49_NarrowedToOneCpuWhileRunning_LingeringStops() => AssertSucceedsAsync(PinnedLater);

    /// <summary>Otherwise each item that a thread queues on the only CPU wakes a worker, which takes the CPU from that thread.</summary>
    [Fact]
    public Task IdleWorkerOnTheOnlyCpu_YieldsBeforeItParks_AndNeedsNoWakeMeanwhile() => AssertSucceedsAsync(QueueOnOneCpu);

    private static async Task AssertSucceedsAsync(Func<int> main)
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(main);
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    private static int PinnedAtFirst()
    {
        PinToOneCpu();
        Assert.Equal(1, LingerBudget.UsableProcessors);
        Assert.Equal(0, LingerBudget.WakeLatencyNanoseconds);
        using NativeThreadPool pool = NewPool();
        Assert.False(LingerBudgetTests.IsSeen([pool]));
        return 0;
    }

    private static int PinnedLater()
    {
        using NativeThreadPool pool = NewPool();
        Deadline.Until(() => LingerBudget.WakeLatencyNanoseconds == 0 || LingerBudgetTests.IsSeen([pool]));

        PinToOneCpu();
        Deadline.Until(() => !MayLinger() && !pool.Probe.IsLingering); // the change is noticed within a quarter of a second
        Assert.False(LingerBudgetTests.IsSeen([pool]));
        return 0;
    }

    private static int QueueOnOneCpu()
    {
        PinToOneCpu();
        LingerBudget.Measure();
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 2 });
        Deadline.Until(() =>
        {
            pool.UnsafeQueueUserWorkItem(static _ => { }, null);
            return pool.Probe.IsLingering; // the worker's yield lets this thread run
        });
        return 0;
    }

    private static NativeThreadPool NewPool() =>
        new(new NativeThreadPoolOptions { MaxThreads = 2, MinThreads = 2, LingerTime = LingerBudgetTests.LongTime });

    private static bool MayLinger()
    {
        bool may = LingerBudget.TryTake(LingerKind.Completion);
        if (may)
        {
            LingerBudget.Return(LingerKind.Completion);
        }

        return may;
    }

    // All threads of the process, those that exist and those to come.
    private static void PinToOneCpu()
    {
        string id = Environment.ProcessId.ToString(CultureInfo.InvariantCulture);
        string allowed = File.ReadLines("/proc/self/status").Single(line => line.StartsWith("Cpus_allowed_list:", StringComparison.Ordinal));
        string first = allowed.Split([':', ',', '-'])[1].Trim();
        CommandLine.Result result = CommandLine.RunAsync("taskset", ["-a", "-c", "-p", first, id], ".", Deadline.Time).GetAwaiter().GetResult();
        Assert.True(result.ExitCode == 0, result.Output);
    }
}
