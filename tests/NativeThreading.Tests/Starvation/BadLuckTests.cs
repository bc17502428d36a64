using System.Diagnostics;
using System.Runtime.InteropServices;
using NativeThreading.Instrumentation;
using NativeThreading.Platform;
using NativeThreading.Starvation;
using NativeThreading.Tests.Support;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Starvation;

/// <summary>What the machine and its administrators may do to a pool.</summary>
public sealed partial class BadLuckTests : StarvationTest
{
    [Fact]
    public void T44_NoThreadToBeHad_IsSaidOnce_AndHealingGoesOnWhenThereIsOne()
    {
        using var log = new EventLog();
        NativeThreadPool pool = NewPool(1);
        using (new BlockedWorkers(pool, 1))
        {
            using var ran = new ManualResetEventSlim();
            using (var failing = new FailingThreadStarts("starve-worker-"))
            {
                pool.UnsafeQueueUserWorkItem(_ => ran.Set(), null);
                Deadline.Until(() => failing.Attempts >= 3, "the start is tried again and again");
                Assert.False(ran.IsSet);
                Deadline.Until(() => pool.ThreadCount == 1, "an attempt that failed leaves no thread behind");
            }

            Deadline.Wait(ran);
        }

        Assert.Single(log.Of("ThreadStartFailed", "starve"));
    }

    [Fact]
    [NeedsSystem(NeedsSystemAttribute.Linux)]
    public async Task T44_NoThreadForTheMonitor_IsSaid_AndNothingIsAcceptedThatItMayHaveToHelp() =>
        await AssertSucceedsAsync(NoThreadForTheMonitor);

    internal static int NoThreadForTheMonitor()
    {
        using var log = new EventLog();
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "starve", MaxThreads = 1 });
        using (new FailingThreadStarts(PoolProbe.MonitorName))
        {
            for (int i = 0; i < 3; i++)
            {
                Assert.ThrowsAny<OutOfMemoryException>(() => pool.UnsafeQueueUserWorkItem(static _ => { }, null));
                Assert.Equal((0L, 0), (pool.PendingWorkItemCount, pool.ThreadCount));
            }
        }

        pool.OnWorker(static () => { });
        Assert.Single(log.Of("MonitorStartFailed"));
        return 0;
    }

    [Fact]
    [NeedsNativeCore(NeedsNativeCoreAttribute.KernelsEvidence)]
    public async Task RunStatesHidden_BlockedWorkersAreFoundByTheirLackOfProgress_SaidOnce() =>
        await AssertSucceedsAsync(HiddenStates);

    [Fact]
    public async Task RunStatesAndCpuTimesHidden_BlockedWorkersAreFoundByTheirLackOfProgress() =>
        await AssertSucceedsAsync(HiddenStatesAndTimes);

    [Fact]
    [NeedsSystem(NeedsSystemAttribute.Linux)]
    [NeedsNativeCore(NeedsNativeCoreAttribute.KernelsEvidence)]
    public async Task StoppedAndContinued_NobodyIsReplacedAndNothingRepaired() => await AssertSucceedsAsync(StoppedAndContinued);

    [Fact]
    public void TimeThatTheMonitorSlept_BeyondItsPlan_DoesNotCount()
    {
        // A clock that jumps and a process that was stopped look the same from inside: much time between two looks.
        var clock = new PauseFreeClock();
        clock.Begin(TimeSpan.Zero);
        Spin(TimeSpan.FromMilliseconds(100)); // more than a collection's pause, which would be subtracted
        clock.Begin(TimeSpan.FromMilliseconds(1));
        Assert.InRange(clock.Elapsed, TimeSpan.FromMilliseconds(1), TimeSpan.FromMilliseconds(1) + StarvationTuning.OversleepTolerance);
    }

    [Fact]
    public void ALookPlannedSoon_ProvesNothingByItself() =>
        Assert.True(StarvationTuning.Soon + StarvationTuning.OversleepTolerance < StarvationTuning.Proof);

    [Fact]
    [NeedsNativeCore(NeedsNativeCoreAttribute.KernelsEvidence)]
    public void T82_WorkerThatRunsAndWaitsAgain_WhileTheMonitorHasNoProcessor_HasNotWaited()
    {
        NativeThreadPool pool = NewPool(1);
        using var spin = new SemaphoreSlim(0);
        using var spun = new SemaphoreSlim(0);
        bool ended = false;
        pool.UnsafeQueueUserWorkItem(
            _ =>
            {
                do
                {
                    spun.Release();
                    Deadline.Wait(spin);
                    Spin(TimeSpan.FromMilliseconds(1));
                }
                while (!Volatile.Read(ref ended));
            },
            null);
        Deadline.Wait(spun);
        Evidence evidence = pool.Probe.EvidenceOfOneWorker();
        long look = 0;
        evidence.Look(++look);
        Deadline.Until(() => evidence.Look(++look) == Evidence.State.Waits, "the worker waits, and no longer polls");

        // Between the look at its CPU time and that at its state the worker runs, and waits again.
        Failpoints.RunState = () =>
        {
            spin.Release();
            Deadline.Wait(spun);
            return RunState.Waiting;
        };
        try
        {
            Assert.Equal(Evidence.State.Runs, evidence.Look(++look));
        }
        finally
        {
            Failpoints.RunState = null;
            Volatile.Write(ref ended, true);
            spin.Release();
            pool.WaitUntilQuiet(); // it may be about to wait for what is disposed of here
        }
    }

    [Fact]
    public void T83_PausesOfTheCollector_DoNotCount()
    {
        var clock = new PauseFreeClock();
        clock.Begin(TimeSpan.FromSeconds(10));
        long began = Stopwatch.GetTimestamp();
        TimeSpan pausesBefore = GC.GetTotalPauseDuration();
        for (int i = 0; i < 20; i++)
        {
            GC.Collect();
        }

        TimeSpan pauses = GC.GetTotalPauseDuration() - pausesBefore;
        clock.Begin(TimeSpan.FromSeconds(10));
        Assert.NotEqual(TimeSpan.Zero, pauses);
        Assert.True(clock.Elapsed <= Stopwatch.GetElapsedTime(began) - pauses, $"{clock.Elapsed} with {pauses} of pauses");
    }

    [Fact]
    [NeedsSystem(NeedsSystemAttribute.Linux)]
    public async Task T44_NoMemoryForAThread_AcceptedItemsWaitUntilThereIs() => await AssertSucceedsAsync(NoMemoryForAThread);

    [Fact]
    [NeedsSystem(NeedsSystemAttribute.Linux)]
    public async Task T44_NoFilesLeftForAThread_AcceptedItemsWaitUntilThereAre() => await AssertSucceedsAsync(NoFilesLeftForAThread);

    [Fact]
    [NeedsNativeCore(NeedsNativeCoreAttribute.KernelsEvidence)]
    public void T82_WorkersHeldByADebugger_AreNotReplaced()
    {
        // thread_probe shows that the kernel says so of a thread that is traced, or stopped by a signal.
        using var meter = new PoolMeter("starve");
        NativeThreadPool pool = NewPool(2);
        using (new BlockedWorkers(pool, 2))
        {
            using var ran = new ManualResetEventSlim();
            Failpoints.RunState = static () => RunState.Stopped;
            try
            {
                pool.UnsafeQueueUserWorkItem(_ => ran.Set(), null);
                AwaitLooks(pool, 30);
                Assert.Equal((0, 2, false), (meter.Injected, pool.ThreadCount, ran.IsSet));
            }
            finally
            {
                Failpoints.RunState = null;
            }

            Deadline.Wait(ran); // it has continued, and waits by itself
        }
    }

    [Fact]
    public void NoFilesLeft_TheProbeTellsWhy_AndHealingIsOnlyLater()
    {
        Failpoints.RunState = static () => -24; // EMFILE
        try
        {
            NativeThreadPool pool = NewPool(1);
            using (new BlockedWorkers(pool, 1))
            {
                pool.OnWorker(static () => { });
            }
        }
        finally
        {
            Failpoints.RunState = null;
        }
    }

    private static async Task AssertSucceedsAsync(Func<int> main)
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(main);
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    private const int HugeStack = 1 << 30;

    private static int NoMemoryForAThread() => ThreadRefused(static () => ResourceLimit.MoreMemory(HugeStack / 2));

    private static int NoFilesLeftForAThread() => ThreadRefused(ResourceLimit.NoMoreFiles);

    private static int ThreadRefused(Func<ResourceLimit> limit)
    {
        using var log = new EventLog();
        using var ran = new CountdownEvent(10);
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "starve", MaxThreads = 1, MaxStackSize = HugeStack });
        using (new BlockedWorkers(pool, 1))
        {
            // Not before: a producer that loses its processor after the publication finds the worker busy, and starts the second one although nothing is queued.
            pool.Resize(2, pool.MaxBlockedThreads);
            int waiting;
            using (limit())
            {
                for (int i = 0; i < 9; i++)
                {
                    pool.UnsafeQueueUserWorkItem(_ => ran.Signal(), null); // does not throw
                }

                waiting = ran.CurrentCount;
                Deadline.Until(() => pool.ThreadCount == 1, "an attempt that failed leaves no thread behind");
            }

            Assert.Equal(10, waiting);
            // Where not even a timer can be had the next item tries again.
            pool.UnsafeQueueUserWorkItem(_ => ran.Signal(), null);
            Deadline.Wait(ran);
        }

        Assert.Single(log.Of("ThreadStartFailed", "starve"));
        return 0;
    }

    private static int HiddenStates()
    {
        using var log = new EventLog();
        Failpoints.RunState = static () => -2; // ENOENT: /proc is not there
        Assert.True(HealsWithin() >= StarvationTuning.ProofWithoutState);
        HealsWithin();
        HealsWithin();
        EventLog told = log;
        Assert.Equal(2, Assert.Single(told.Of("RunStatesUnreadable")).Payload![0]);
        return 0;
    }

    private static int HiddenStatesAndTimes()
    {
        Failpoints.RunState = static () => -2;
        Failpoints.Cpu = -1;
        Assert.True(HealsWithin() >= StarvationTuning.ProofWithoutCpu);
        return 0;
    }

    private static TimeSpan HealsWithin()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "starve", MaxThreads = 1 });
        long began = Stopwatch.GetTimestamp();
        using (new BlockedWorkers(pool, 1))
        {
            pool.OnWorker(static () => { });
        }

        return Stopwatch.GetElapsedTime(began);
    }

    /// <summary>A machine that takes the processors away may prolong a sleep beyond a proof, so that one attempt in three must show it.</summary>
    private static int StoppedAndContinued()
    {
        var replaced = new List<long>();
        while (StopTwice() is var injected and not 0)
        {
            replaced.Add(injected);
            Assert.True(replaced.Count < 3, $"replaced in each attempt: {string.Join(", ", replaced)}");
        }

        return 0;
    }

    /// <summary>Returns how many were replaced.</summary>
    private static long StopTwice()
    {
        using var meter = new PoolMeter("starve");
        using var stop = new ManualResetEventSlim();
        using var entered = new CountdownEvent(2);
        using var left = new CountdownEvent(2);
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "starve", MaxThreads = 2 });
        for (int i = 0; i < 2; i++)
        {
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    // Waits of half a proof, each followed by work: blocked only as long as all workers are.
                    entered.Signal();
                    while (!stop.IsSet)
                    {
                        Thread.Sleep(1);
                        Spin(TimeSpan.FromMilliseconds(2));
                    }

                    left.Signal();
                },
                null);
        }

        // No worker may take the next items before both workers are busy: if all had run, the monitor would give the pool
        // back, and never check it again.
        Deadline.Wait(entered);
        for (int i = 0; i < 50; i++)
        {
            pool.UnsafeQueueUserWorkItem(static _ => { }, null);
        }

        try
        {
            for (int round = 0; round < 2; round++)
            {
                AwaitLooks(pool, 5, () => meter.Injected != 0);
                StopForAWhile();
            }

            AwaitLooks(pool, 20, () => meter.Injected != 0);
            Assert.Equal(0, pool.Probe.Repairs);
            Deadline.Until(() => meter.Injected != 0 || pool.PendingWorkItemCount == 50, "who was replaced is counted a little later");
        }
        finally
        {
            stop.Set();
        }

        Deadline.Wait(left);
        return meter.Injected;
    }

    /// <summary>Stops this process for more than a second. The thread that wakes it waits until it is stopped: an earlier signal would be lost.</summary>
    private static void StopForAWhile()
    {
        string id = Environment.ProcessId.ToString(System.Globalization.CultureInfo.InvariantCulture);
        using Process waker = Process.Start(
            "sh", ["-c", $"until grep -q '^State:.T' /proc/{id}/status; do sleep 0.05; done; sleep 1.3; kill -CONT {id}"]);
        Assert.Equal(0, kill(Environment.ProcessId, StopSignal));
        Deadline.Until(() => waker.HasExited);
    }

    private const int StopSignal = 19;

    [LibraryImport("libc")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int kill(int process, int signal);

    private static List<string> ThreadNames()
    {
        var names = new List<string>();
        foreach (string task in Directory.EnumerateDirectories("/proc/self/task"))
        {
            try
            {
                names.Add(File.ReadAllText(task + "/comm").TrimEnd());
            }
            catch (IOException)
            {
                // It ended between the listing and the read.
            }
        }

        return names;
    }
}
