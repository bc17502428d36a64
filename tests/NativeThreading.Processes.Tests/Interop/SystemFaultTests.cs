using System.Diagnostics;
using NativeThreading.Processes.Tests.Native;
using NativeThreading.Tests.Support;
using NativeThreading.Tuning;

namespace NativeThreading.Processes.Tests.Interop;

/// <summary>What docs/contributors/faults.md promises of wakes, signals and /proc, with the shipped native library.</summary>
[Trait("Category", "Fault")]
[NeedsNativeCore(NeedsNativeCoreAttribute.Library)]
public sealed class SystemFaultTests(NativeTestPrograms programs) : IClassFixture<NativeTestPrograms>
{
    [Fact]
    public Task T17_ParksThatReturnAtOnce_ChangeNothingButTheirCost() => SystemFaults.AssertSucceedsAsync(programs, ParksForNothing);

    [Fact]
    public Task T5_SwallowedWake_ItsItemRunsOnAnotherWorker_AndThePoolStillStops() =>
        SystemFaults.AssertSucceedsAsync(programs, SwallowedWakes);

    [Fact]
    public Task InterruptedCalls_AreMadeAgain() => SystemFaults.AssertSucceedsAsync(programs, InterruptedCalls);

    [Fact]
    public Task StormOfSignals_NothingIsLostEarlyOrTwice() => SystemFaults.AssertSucceedsAsync(programs, Storm);

    [Fact]
    public Task ProcGone_BlockedWorkersAreFoundByTheirLackOfProgress_SaidOnce() => SystemFaults.AssertSucceedsAsync(programs, ProcGone);

    private static int ParksForNothing()
    {
        var faults = new SystemFaults();
        foreach (int period in (int[])[2, 3, 7])
        {
            faults.Set(SystemFaults.ParkForNothing, 1, period);
            Mixture.Round();
            Assert.NotEqual(0, faults.Made(SystemFaults.ParkForNothing));
        }

        faults.Set(SystemFaults.ParkForNothing, 1, period: 1); // not for long: every parked thread polls now
        using var semaphore = new LifoSemaphore();
        long began = Stopwatch.GetTimestamp();
        Assert.False(semaphore.Wait(TimeSpan.FromMilliseconds(50)));
        Assert.True(Stopwatch.GetElapsedTime(began) >= TimeSpan.FromMilliseconds(50));
        return 0;
    }

    private static int SwallowedWakes()
    {
        var faults = new SystemFaults();
        var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            Name = "unwoken",
            MaxThreads = 2,
            LingerTime = TimeSpan.Zero,
            IdleTimeout = TimeSpan.FromSeconds(5), // after which a thread that was not woken finds its wake
        });
        new BlockedWorkers(pool, 2).Dispose();
        pool.WaitUntilLateLookIsOver();
        int before = pool.ThreadCount;
        faults.Set(SystemFaults.WakeSwallowed, 1);
        int ran = 0;
        pool.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref ran), null);
        Assert.Equal(1, faults.Made(SystemFaults.WakeSwallowed));
        Deadline.Until(() => pool.Probe.RequestAge > StarvationTuning.LateRequest, "the request is late");
        long began = Stopwatch.GetTimestamp();
        pool.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref ran), null);
        Deadline.Until(() => Volatile.Read(ref ran) == 2);
        Assert.True(Stopwatch.GetElapsedTime(began) < TimeSpan.FromSeconds(2.5), $"{Stopwatch.GetElapsedTime(began)}");
        Assert.Equal((2, 1), (before, pool.Probe.Repairs));
        Deadline.Wait(pool.ShutdownAsync(CancellationToken.None));
        return 0;
    }

    private static int InterruptedCalls()
    {
        var faults = new SystemFaults();
        for (int first = 1; first <= 3; first++)
        {
            faults.Set(SystemFaults.Interrupted, first, period: 3);
            for (int i = 0; i < 5; i++)
            {
                Mixture.Round();
                Mixture.BlockAndHeal();
            }

            Assert.InRange(faults.Made(SystemFaults.Interrupted), 5, long.MaxValue);
        }

        return 0;
    }

    private static int Storm()
    {
        var faults = new SystemFaults();
        using var loop = new EventLoop();
        faults.Storm(rages: true);
        for (Stopwatch running = Stopwatch.StartNew(); running.Elapsed < TimeSpan.FromSeconds(2);)
        {
            Mixture.Round();
            Mixture.BlockAndHeal();
            Assert.True(LoopSleeps(loop) >= TimeSpan.FromMilliseconds(5));
        }

        faults.Storm(rages: false);
        Assert.InRange(faults.Signals, 1_000, long.MaxValue);
        return 0;
    }

    private static TimeSpan LoopSleeps(EventLoop loop) => Deadline.Result(loop.InvokeAsync(async () =>
    {
        long began = Stopwatch.GetTimestamp();
        await Task.Delay(TimeSpan.FromMilliseconds(5), loop.TimeProvider);
        return Stopwatch.GetElapsedTime(began);
    }));

    private static int ProcGone()
    {
        var faults = new SystemFaults();
        using var log = new EventLog();
        faults.Set(SystemFaults.NoProc, 1, period: 1);
        for (int i = 0; i < 3; i++)
        {
            long began = Stopwatch.GetTimestamp();
            Mixture.BlockAndHeal();
            Assert.True(Stopwatch.GetElapsedTime(began) >= StarvationTuning.ProofWithoutState);
        }

        Assert.Equal(2, Assert.Single(log.Of("RunStatesUnreadable")).Payload![0]); // ENOENT
        Assert.NotEqual(0, faults.Made(SystemFaults.NoProc));
        Mixture.Round();
        return 0;
    }
}
