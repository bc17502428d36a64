using System.Globalization;
using System.Runtime.InteropServices;
using NativeThreading.Platform;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>T30, T49: with one CPU no worker polls, from the start or from the moment at which the process is narrowed. It yields once instead, as does
/// a worker on the CPU of the thread that it waits for.</summary>
[Trait("Category", "Soak")]
[NeedsNativeCore(NeedsNativeCoreAttribute.ChangingProcessors)]
public sealed partial class OneCpuTests
{
    [Fact]
    public Task T30_T49_OneCpuFromTheStart_NobodyLingers() => AssertSucceedsAsync(PinnedAtFirst);

    [Fact]
    public Task T49_NarrowedToOneCpuWhileRunning_LingeringStops() => AssertSucceedsAsync(PinnedLater);

    /// <summary>Otherwise each item that a thread queues on the only CPU wakes a worker, which takes the CPU from that thread.</summary>
    [Fact]
    public Task IdleWorkerOnTheOnlyCpu_YieldsBeforeItParks_AndNeedsNoWakeMeanwhile() => AssertSucceedsAsync(QueueOnOneCpu);

    /// <summary>As above if there are other CPUs: a poll on the CPU of the producer takes it from the thread that the worker waits for.</summary>
    [Fact]
    public async Task IdleWorkerOnTheCpuOfItsProducer_YieldsBeforeItParks_AndAnotherOnePolls()
    {
        Assert.SkipUnless(UsableCpus().Length > 1, "needs two CPUs");
        await AssertSucceedsAsync(QueueOnOneOfTwoCpus);
    }

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

    private static int QueueOnOneOfTwoCpus()
    {
        LingerBudget.Measure(); // before the only thread that is pinned
        int[] cpus = [.. UsableCpus().Take(2)];
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1 });
        pool.OnWorker(static () => { });
        foreach (int cpu in cpus)
        {
            StayOn(cpu);
            Deadline.Until(() => pool.Probe.IdleWorkers == pool.ThreadCount); // so the item makes a request
            pool.OnWorker(static () => { });
            foreach (int of in cpus)
            {
                StayOn(of);
                Assert.True(pool.Probe.WouldYield == (of == cpu), $"requested on {cpu}, on {of} now");
            }
        }

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

    /// <summary>The CPUs that the process may use.</summary>
    private static int[] UsableCpus()
    {
        string allowed = File.ReadLines("/proc/self/status").Single(line => line.StartsWith("Cpus_allowed_list:", StringComparison.Ordinal));
        return [.. allowed.Split(':')[1].Split(',').Select(static range => Array.ConvertAll(range.Split('-'), static cpu => int.Parse(cpu, CultureInfo.InvariantCulture)))
            .SelectMany(static range => Enumerable.Range(range[0], range[^1] - range[0] + 1))];
    }

    /// <summary>One CPU for the calling thread.</summary>
    private static void StayOn(int cpu)
    {
        ulong[] cpus = new ulong[16];
        cpus[cpu / 64] = 1UL << (cpu % 64);
        Assert.Equal(0, sched_setaffinity(0, cpus.Length * sizeof(ulong), cpus));
        Deadline.Until(() => Thread.GetCurrentProcessorId() == cpu); // on some machines the runtime keeps the number for some calls
    }

    // All threads of the process, those that exist and those to come.
    private static void PinToOneCpu()
    {
        string id = Environment.ProcessId.ToString(CultureInfo.InvariantCulture);
        string first = UsableCpus()[0].ToString(CultureInfo.InvariantCulture);
        CommandLine.Result result = CommandLine.RunAsync("taskset", ["-a", "-c", "-p", first, id], ".", Deadline.Time).GetAwaiter().GetResult();
        Assert.True(result.ExitCode == 0, result.Output);
    }

    [LibraryImport("libc")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int sched_setaffinity(int thread, nint size, ulong[] cpus);
}
