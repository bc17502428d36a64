using System.Diagnostics;
using System.Runtime.InteropServices;
using NativeThreading.Instrumentation;
using NativeThreading.Platform;
using NativeThreading.Tests.Support;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Starvation;

/// <summary>Items that wait by turns, each wait too short to prove anything.</summary>
public sealed partial class ShortWaitsTests : StarvationTest
{
    // Where a processor is scarce, the compiler in the background holds its locks for long, and a thread that waits for one is blocked.
    private static readonly (string, string) s_noCompilerBeside = ("DOTNET_TieredCompilation", "0");

    public static TheoryData<string> Kinds => new("SpinUntil", "Sleep", "Sleep in a lock", "a task's handle", "event with timeout");

    [Theory]
    [MemberData(nameof(Kinds))]
    public void T145_OnlyWorkerThatPollsForAnItemBehindIt_IsReplaced(string kind)
    {
        NativeThreadPool pool = NewPool(1);
        pool.OnWorker(() =>
        {
            bool ran = false;
            pool.UnsafeQueueUserWorkItem(_ => Volatile.Write(ref ran, true), null);
            PollUntil(kind, () => Volatile.Read(ref ran));
        });
    }

    [Fact]
    public void T145_EveryWorkerPolls_ForAnItemBehindMany()
    {
        const int items = 20;
        NativeThreadPool pool = NewPool(2);
        bool ran = false;
        using var left = new CountdownEvent(items);
        for (int i = 0; i < items; i++)
        {
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    PollUntil("SpinUntil", () => Volatile.Read(ref ran));
                    left.Signal();
                },
                null);
        }

        pool.UnsafeQueueUserWorkItem(_ => Volatile.Write(ref ran, true), null);
        Deadline.Wait(left);
    }

    [Fact]
    public void T145_WorkerThatPolls_StaysBlocked_ThoughItRunsAtEachTurn_UntilItComputes()
    {
        NativeThreadPool pool = NewPool(1);
        using var compute = new ManualResetEventSlim();
        using var stop = new ManualResetEventSlim();
        using var entered = new CountdownEvent(2);
        using var left = new CountdownEvent(2);
        pool.UnsafeQueueUserWorkItem(
            _ =>
            {
                entered.Signal();
                while (!compute.IsSet)
                {
                    Thread.Sleep(1);
                    Spin(TimeSpan.FromMicroseconds(100)); // so that many looks find it running
                }

                SpinUntil(stop);
                left.Signal();
            },
            null);
        pool.UnsafeQueueUserWorkItem(
            _ =>
            {
                entered.Signal();
                SpinUntil(stop);
                left.Signal();
            },
            null);
        try
        {
            Deadline.Wait(entered); // the worker that polls was found
            pool.UnsafeQueueUserWorkItem(static _ => { }, null); // waits, so that the monitor looks on
            long from = pool.Probe.Looks;
            int least = int.MaxValue;
            Deadline.Until(() =>
            {
                least = Math.Min(least, pool.BlockedThreadCount);
                return pool.Probe.Looks >= from + 100;
            });
            Assert.Equal(1, least);
            compute.Set();
            Deadline.Until(() => pool.BlockedThreadCount == 0, "the worker that computes now counts as running");
        }
        finally
        {
            compute.Set();
            stop.Set();
            Deadline.Wait(left);
        }
    }

    /// <summary>ENOSYS for either account; and a thread that, by its account, never waits.</summary>
    [Theory]
    [NeedsNativeCore(NeedsNativeCoreAttribute.KernelsEvidence)]
    [InlineData(-38, null)]
    [InlineData(null, -38L)]
    [InlineData(null, 0L)]
    public void T145_WhereOneAccountIsMissing_OrShowsNoWait_NobodyIsFoundByShortWaits(int? delay, long? waits)
    {
        (Failpoints.RunDelay, Failpoints.Waits) = (delay, waits);
        try
        {
            AssertNotReplaced(computes: 0, sleeps: 500);
        }
        finally
        {
            (Failpoints.RunDelay, Failpoints.Waits) = (null, null);
        }
    }

    [Fact]
    [NeedsSystem(NeedsSystemAttribute.Linux)]
    public async Task T145_WorkerThatLacksAProcessorForMostOfTheTime_IsNotReplaced()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(LacksAProcessor, s_noCompilerBeside);
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    /// <summary>A thread that polls is ready to run at nearly every look there, and the monitor is late for each.</summary>
    [Fact]
    [NeedsSystem(NeedsSystemAttribute.Linux)]
    public async Task T145_OnlyWorkerThatPolls_IsReplaced_WhereEverybodyLacksAProcessor()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(PollsInACrowd, s_noCompilerBeside);
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    private static int PollsInACrowd()
    {
        StayOnThisProcessor();
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1 });
        using var others = new ComputingThreads(8);
        foreach (string kind in Kinds.Select(static kind => kind.Data))
        {
            pool.OnWorker(() =>
            {
                bool ran = false;
                pool.UnsafeQueueUserWorkItem(_ => Volatile.Write(ref ran, true), null);
                PollUntil(kind, () => Volatile.Read(ref ran));
            });
        }

        return 0;
    }

    /// <summary>One processor for all threads from here on: started threads inherit this.</summary>
    private static void StayOnThisProcessor()
    {
        int processor = sched_getcpu();
        ulong[] processors = new ulong[16];
        processors[processor / 64] = 1UL << (processor % 64);
        Assert.Equal(0, sched_setaffinity(0, processors.Length * sizeof(ulong), processors));
    }

    private static int LacksAProcessor()
    {
        StayOnThisProcessor();
        using var others = new ComputingThreads(4);

        // Mostly computing, while it has a processor; and far less than a quarter of all time.
        AssertNotReplaced(computes: 2_000_000, sleeps: 1000);
        AssertNotReplaced(computes: 300_000, sleeps: 50);
        return 0;
    }

    /// <summary>A thread that waits for a lock of the runtime whose owner lacks the processor, or that sleeps for much longer than it asked for, is
    /// blocked: such an attempt shows nothing.</summary>
    private static void AssertNotReplaced(long computes, uint sleeps)
    {
        (bool IsReplaced, bool Waited) attempt;
        int attempts = 0;
        do
        {
            attempt = ComputesAndSleeps(computes, sleeps);
        }
        while (attempt is (IsReplaced: true, Waited: true) && ++attempts < 20);

        string how = attempt.Waited ? "in which it waited for long" : "though it never waited for long";
        Assert.False(attempt.IsReplaced, $"replaced in attempt {attempts}, {how}; computing for {computes} ns and sleeping for {sleeps} us");
    }

    private static (bool IsReplaced, bool Waited) ComputesAndSleeps(long computes, uint sleeps)
    {
        using var meter = new PoolMeter("starve");
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "starve", MaxThreads = 1 });
        using var stop = new ManualResetEventSlim();
        using var warm = new CountdownEvent(20);
        using var left = new CountdownEvent(1);
        bool waited = false;
        pool.UnsafeQueueUserWorkItem(
            _ =>
            {
                ThreadProbe self = ThreadProbe.OfCurrentThread()!;
                while (!stop.IsSet)
                {
                    (long began, long cpu, long delay) = (Stopwatch.GetTimestamp(), self.Cpu, self.RunDelay);
                    while (self.Cpu - cpu < computes)
                    {
                        Thread.SpinWait(20);
                    }

                    _ = usleep(sleeps);
                    (cpu, delay) = (self.Cpu - cpu, self.RunDelay - delay);
                    TimeSpan apart = Stopwatch.GetElapsedTime(began) - TimeSpan.FromTicks((cpu + delay) / TimeSpan.NanosecondsPerTick);
                    if (warm.IsSet || warm.Signal())
                    {
                        waited |= apart >= StarvationTuning.Proof;
                    }
                }

                left.Signal();
            },
            null);
        try
        {
            Deadline.Wait(warm);
            pool.UnsafeQueueUserWorkItem(static _ => { }, null);
            AwaitLooks(pool, 100, () => meter.Injected != 0);
            return (meter.Injected != 0, IsOver());
        }
        finally
        {
            stop.Set();
        }

        bool IsOver()
        {
            stop.Set();
            Deadline.Wait(left);
            return waited;
        }
    }

    private static void PollUntil(string kind, Func<bool> condition)
    {
        // No thread spins: next to busy threads a spin yields for longer than the wait would last, and then does not wait at all.
        using var never = new ManualResetEventSlim(initialState: false, spinCount: 0);
        Func<bool> poll = kind switch
        {
            "SpinUntil" => () => SpinWait.SpinUntil(condition, Deadline.Time),
            "Sleep" => () =>
            {
                Thread.Sleep(1);
                return condition();
            },
            "Sleep in a lock" => () =>
            {
                lock (never)
                {
                    Thread.Sleep(0);
                    Thread.Sleep(1);
                    return condition();
                }
            },
            "a task's handle" => () =>
            {
                Assert.True(((IAsyncResult)Task.Delay(1)).AsyncWaitHandle.WaitOne(Deadline.Time), kind);
                return condition();
            },
            _ => () => never.Wait(1) || condition(),
        };
        long began = Environment.TickCount64;
        while (!poll())
        {
            Assert.True(Environment.TickCount64 - began < Deadline.Time.TotalMilliseconds, kind);
        }
    }

    private static void SpinUntil(ManualResetEventSlim stop)
    {
        while (!stop.IsSet)
        {
            Thread.SpinWait(20);
        }
    }

    [LibraryImport("libc")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int usleep(uint microseconds);

    [LibraryImport("libc")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int sched_getcpu();

    [LibraryImport("libc")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int sched_setaffinity(int thread, nint size, ulong[] processors);
}
