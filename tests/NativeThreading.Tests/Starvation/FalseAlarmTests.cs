using System.Diagnostics;
using NativeThreading.Tests.Support;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Starvation;

/// <summary>No thread is replaced that is not blocked, and the monitor does not sample when nothing waits.</summary>
public sealed class FalseAlarmTests : StarvationTest
{
    private const int Looks = 30;

    private int _attempts;

    [Fact]
    public void T82_WorkersThatCompute_AreNotReplaced_AndWhatWaitsBehindThemIsVisible() => AssertNobodyIsReplacedWhileAllCompute();

    [Fact]
    [NeedsNativeCore(NeedsNativeCoreAttribute.KernelsEvidence)]
    public void T82_WorkersThatSleepAndWorkByTurns_AreNotReplaced()
    {
        // Half of the time and more on a CPU: by its run state alone such a thread is blocked in many looks. Whose sleep of 1 ms
        // took as long as a proof was blocked, and so may have been a thread that waited apart from its sleeps: such an attempt shows nothing.
        bool isReplaced;
        long waited;
        int attempts = 0;
        do
        {
            long counted = 0;
            isReplaced = !IsNobodyReplaced((stop, started) =>
            {
                long apart = -Computing.Waits;
                bool sleptLong = false;
                started();
                while (!stop.IsSet)
                {
                    Spin(TimeSpan.FromMilliseconds(2));
                    long began = Stopwatch.GetTimestamp();
                    Thread.Sleep(1);
                    sleptLong |= Stopwatch.GetElapsedTime(began) >= StarvationTuning.Proof;
                    apart--;
                }

                apart += Computing.Waits;
                Interlocked.Add(ref counted, Math.Max(apart, sleptLong ? 1 : 0));
            });
            waited = counted;
        }
        while (isReplaced && waited != 0 && ++attempts < 20);

        Assert.False(isReplaced, $"a worker was replaced, in attempt {attempts}, whose workers waited {waited} times for long");
    }

    [Fact]
    public void T82_MoreComputingThreadsThanProcessors_AreNotReplaced()
    {
        using var others = new ComputingThreads(3 * Environment.ProcessorCount);
        AssertNobodyIsReplacedWhileAllCompute();
    }

    [Fact]
    public void T82_AttemptsAreJudgedAlone_AndOneWhoseWorkersBlockFails()
    {
        Assert.False(IsNobodyReplaced(static (stop, started) =>
        {
            started();
            Deadline.Wait(stop);
        }));
        AssertNobodyIsReplacedWhileAllCompute();
    }

    [Fact]
    public void T83_CollectionsAllTheTime_AreNotTakenForBlocking()
    {
        // If processors are few for all that runs, the collector's lock or a collection in the background holds a worker up for
        // as long as the thread that has the lock waits for a processor. Then the worker is blocked, so that only attempts count that had processors.
        int replaced = 0;
        for (int attempt = 0; attempt < 4; attempt++)
        {
            TimeSpan cpu = Environment.CpuUsage.TotalTime;
            long began = Stopwatch.GetTimestamp();
            if (IsNobodyReplaced(Allocate))
            {
                return;
            }

            replaced += Environment.CpuUsage.TotalTime - cpu > 0.8 * Math.Min(2, Environment.ProcessorCount) * Stopwatch.GetElapsedTime(began) ? 1 : 0;
        }

        Assert.Equal(0, replaced);

        static void Allocate(ManualResetEventSlim stop, Action started)
        {
            started();
            object?[] kept = new object?[16];
            for (int i = 0; !stop.IsSet; i++)
            {
                kept[i % kept.Length] = new byte[50_000];
                if (i % 2_000 == 0)
                {
                    GC.Collect(i % 40_000 == 0 ? 2 : 0);
                }
            }
        }
    }

    [Fact]
    public void T83_BlockedWorkersAmongCollections_AreReplacedAllTheSame()
    {
        using var stop = new ManualResetEventSlim();
        Thread[] allocating = [.. Enumerable.Range(0, 2).Select(_ => new Thread(() =>
        {
            while (!stop.IsSet)
            {
                GC.KeepAlive(new byte[10_000]);
            }
        }))];
        Array.ForEach(allocating, static thread => thread.Start());
        NativeThreadPool pool = NewPool(2);
        using (new BlockedWorkers(pool, 8))
        {
            pool.OnWorker(static () => { });
        }

        stop.Set();
        Array.ForEach(allocating, static thread => Deadline.Join(thread));
    }

    [Fact]
    public void T84_IdlePoolAndOneItem_NobodyIsReplaced()
    {
        using var meter = new PoolMeter("starve");
        NativeThreadPool pool = NewPool(2);
        new BlockedWorkers(pool, 2).Dispose();
        int threads = pool.ThreadCount;
        for (int i = 0; i < 200; i++)
        {
            pool.WaitUntilQuiet();
            pool.OnWorker(static () => { });
        }

        AwaitMonitorsEnd(pool);
        Assert.Equal((0, threads), (meter.Injected, pool.ThreadCount));
    }

    [Fact]
    public void T84_ParkedWorkers_DoNotCountAsBlocked()
    {
        // One worker is blocked all the while; of the others one is woken for each item, and parks again.
        using var meter = new PoolMeter("starve");
        NativeThreadPool pool = NewPool(3);
        new BlockedWorkers(pool, 3).Dispose();
        using (new BlockedWorkers(pool, 1))
        {
            for (int i = 0; i < 200; i++)
            {
                pool.OnWorker(static () => { });
            }
        }

        // The two others may lack a processor for as long as a proof takes, with an item in hand that the blocked one then counts for.
        AwaitMonitorsEnd(pool);
        Assert.InRange(meter.Injected, 0, 1);
    }

    [Fact]
    public void T85_IdlePools_AreNotLookedAt()
    {
        NativeThreadPool pool = NewPool(1);
        using (new BlockedWorkers(pool, 1))
        {
            pool.OnWorker(static () => { }); // needs the monitor
            Assert.NotEqual(0, pool.Probe.Looks);
        }

        pool.WaitUntilQuiet();
        AwaitMonitorsEnd(pool);
        long looks = pool.Probe.Looks;
        for (int i = 0; i < 100; i++)
        {
            pool.WaitUntilQuiet();
            pool.OnWorker(static () => { }); // a worker is free each time
        }

        Assert.Equal(looks, pool.Probe.Looks);
    }

    /// <summary>Has both workers compute.</summary>
    private void AssertNobodyIsReplacedWhileAllCompute()
    {
        bool isReplaced;
        long waits;
        int attempts = 0;
        do
        {
            long counted = 0;
            isReplaced = !IsNobodyReplaced((stop, started) => Interlocked.Add(ref counted, Computing.Until(stop, started)));
            waits = counted;
        }
        while (isReplaced && waits != 0 && ++attempts < 20);

        Assert.False(isReplaced, $"a worker was replaced, in attempt {attempts}, whose workers waited {waits} times");
    }

    /// <summary>
    /// Has every worker do this while items wait, and the monitor look often. The body itself says when it has started, after the
    /// first read of its counts: items are there only from then on, and so are the monitor's samples.
    /// </summary>
    private bool IsNobodyReplaced(Action<ManualResetEventSlim, Action> busy)
    {
        using (var ended = new ManualResetEventSlim(initialState: true))
        {
            busy(ended, static () => { });
        }

        // A name of its own: pools of earlier attempts still tell what was added to them, under theirs.
        string name = $"starve {++_attempts}";
        using var meter = new PoolMeter(name);
        NativeThreadPool pool = NewPool(2, options => options.Name = name);
        using var stop = new ManualResetEventSlim();
        int started = 0;
        for (int i = 0; i < 2; i++)
        {
            pool.UnsafeQueueUserWorkItem(_ => busy(stop, () => Interlocked.Increment(ref started)), null);
        }

        Deadline.Until(() => Volatile.Read(ref started) == 2); // they signal no thread: for that they might wait
        AwaitMonitorsEnd(pool);
        if (meter.Injected != 0)
        {
            // The first worker waited before it had started, while the second item started: that worker was blocked. Such an attempt shows nothing.
            stop.Set();
            Assert.InRange(_attempts, 0, 100);
            return IsNobodyReplaced(busy);
        }

        for (int i = 0; i < 10; i++)
        {
            pool.UnsafeQueueUserWorkItem(static _ => { }, null);
        }

        long injected;
        try
        {
            // A replacement runs the waiting items: then the monitor has nothing more to sample.
            AwaitLooks(pool, Looks, () => meter.Injected != 0);
            Deadline.Until(() => meter.Injected != 0 || pool.PendingWorkItemCount == 10, "all ten wait, or a thread was added for them");
            AwaitLooks(pool, 2, () => meter.Injected != 0); // an added thread is counted a little later

            // What follows the signal is no computing any more. A worker that reads its counts may wait for the runtime, and one that
            // takes the items for another worker, while the thread that it waits for lacks a processor: that worker is blocked.
            injected = meter.Injected;
        }
        finally
        {
            stop.Set();
        }

        pool.WaitUntilQuiet();
        AwaitMonitorsEnd(pool);
        Assert.True(meter.Injected != 0 || pool.ThreadCount == 2, $"{pool.ThreadCount} threads");
        return injected == 0;
    }
}
