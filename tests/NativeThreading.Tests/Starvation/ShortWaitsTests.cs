using System.Runtime.InteropServices;
using NativeThreading.Cores;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Starvation;

/// <summary>Items that wait by turns, each wait too short to prove anything.</summary>
public sealed partial class ShortWaitsTests : StarvationTest
{
    public static TheoryData<string> Kinds => new("SpinUntil", "Sleep", "Sleep in a lock", "Delay.Wait", "event with timeout");

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
            long from = PoolProbe.MonitorLooks;
            int least = int.MaxValue;
            Deadline.Until(() =>
            {
                least = Math.Min(least, pool.BlockedThreadCount);
                return PoolProbe.MonitorLooks >= from + 100;
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

    [Fact]
    public void T145_WhereNoAccountOfDelaysIsKept_NobodyIsFoundByShortWaits()
    {
        using var meter = new PoolMeter("starve");
        NativeThreadPool pool = NewPool(1);
        using var ran = new ManualResetEventSlim();
        using var left = new CountdownEvent(1);
        ThreadProbe.RefusedRunDelay = -38; // ENOSYS
        try
        {
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    // Half a millisecond: on a busy machine a longer sleep may become one of a whole proof.
                    while (!ran.IsSet)
                    {
                        _ = usleep(500);
                    }

                    left.Signal();
                },
                null);
            pool.UnsafeQueueUserWorkItem(_ => ran.Set(), null);
            AwaitLooks(20);
            Assert.Equal((0, false), (meter.Injected, ran.IsSet));
        }
        finally
        {
            ThreadProbe.RefusedRunDelay = null;
        }

        Deadline.Wait(left);
    }

    [Fact]
    public async Task T145_WorkerThatLacksAProcessorForMostOfTheTime_IsNotReplaced()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(LacksAProcessor);
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    private static int LacksAProcessor()
    {
        // One processor for everybody from here on: started threads inherit this.
        int processor = sched_getcpu();
        ulong[] processors = new ulong[16];
        processors[processor / 64] = 1UL << (processor % 64);
        Assert.Equal(0, sched_setaffinity(0, processors.Length * sizeof(ulong), processors));
        using var meter = new PoolMeter("starve");
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "starve", MaxThreads = 1 });
        using var stop = new ManualResetEventSlim();
        Thread[] others = [.. Enumerable.Range(0, 6).Select(_ => new Thread(() => SpinUntil(stop)))];
        Array.ForEach(others, static thread => thread.Start());
        try
        {
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    // Two thirds of the time that it has a processor, and far less than a quarter of all time.
                    ThreadProbe self = ThreadProbe.OfCurrentThread()!;
                    while (!stop.IsSet)
                    {
                        for (long began = self.Cpu; self.Cpu - began < 2_000_000;)
                        {
                            Thread.SpinWait(20);
                        }

                        _ = usleep(1000);
                    }
                },
                null);
            pool.UnsafeQueueUserWorkItem(static _ => { }, null);
            long from = PoolProbe.MonitorLooks;
            Deadline.Until(() => meter.Injected != 0 || PoolProbe.MonitorLooks >= from + 200);
            Assert.Equal((0, 1, 1), (meter.Injected, pool.ThreadCount, pool.PendingWorkItemCount));
        }
        finally
        {
            stop.Set();
        }

        Array.ForEach(others, static thread => Deadline.Join(thread));
        return 0;
    }

    private static void PollUntil(string kind, Func<bool> condition)
    {
        using var never = new ManualResetEventSlim();
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
            "Delay.Wait" => () =>
            {
                Endless.Wait(Task.Delay(1));
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
