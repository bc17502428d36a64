using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Async;

/// <summary>A range and the states of its items are forgotten as soon as items are that were queued one by one.</summary>
public sealed class WorkGroupRangeRetentionTests
{
    private const int Items = 100;

    [Theory, CombinatorialBooleans]
    public void StatesAreForgotten_OnceTheirItemsHaveRun(bool all) => QueueAndBlockInside(all);

    [Fact]
    public void RangeIsForgotten_WhileALaterItemBlocks() => QueueAndBlockBehind();

    [Fact]
    public void RangeIsForgotten_WhileTheLastItemOfTheOneBeforeItBlocks() => QueueAndBlockBefore();

    [Theory]
    [InlineData("40")]
    [InlineData("A0")]
    public async Task T149_BothAreForgotten_HoweverFewVariablesTheCompilerFollows(string variables)
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(QueueAndBlockUntilCompiledAnew, ("DOTNET_JitMaxLocalsToTrack", variables));
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    private static int QueueAndBlockUntilCompiledAnew()
    {
        for (long began = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(began) < TimeSpan.FromSeconds(4);)
        {
            QueueAndBlockInside(all: false);
            QueueAndBlockBehind();
            QueueAndBlockBefore();
        }

        return 0;
    }

    private static void QueueAndBlockBehind()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        WeakReference[] range = QueueRange(pool);
        using (new BlockedWorkers(pool, 1))
        {
            Retention.AssertCollected(range);
        }
    }

    private static void QueueAndBlockBefore()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        using var started = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        var group = new WorkGroup(pool);
        WeakReference[] range;
        using (new BlockedWorkers(pool, 2))
        {
            Queue(pool, group, Items - 1, started, release);
            range = QueueRange(pool);
        }

        Deadline.Wait(started);
        Retention.AssertCollected(range);
        release.Set();
        group.Wait();
    }

    private static void QueueAndBlockInside(bool all)
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        using var started = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        var group = new WorkGroup(pool);
        int blocks = all ? Items : Items / 2;
        WeakReference[] states = Queue(pool, group, blocks, started, release);
        if (all)
        {
            group.Wait();
            pool.WaitUntilQuiet();
        }
        else
        {
            Deadline.Wait(started);
        }

        Retention.AssertCollected(states.AsSpan(0, blocks));
        release.Set();
        group.Wait();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference[] QueueRange(NativeThreadPool pool)
    {
        var group = new WorkGroup(pool);
        var target = new StrongBox<int>();
        object state = new();
        group.QueueRange(_ => target.Value++, [.. Enumerable.Repeat(state, Items)]);
        return [new WeakReference(group), new WeakReference(target), new WeakReference(state)];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference[] Queue(NativeThreadPool pool, WorkGroup group, int blocks, ManualResetEventSlim started, ManualResetEventSlim release)
    {
        object[] states = [.. Enumerable.Range(0, Items).Select(static number => (object)number)];
        group.QueueRange<object>(
            state =>
            {
                if ((int)state == blocks)
                {
                    started.Set();
                    Deadline.Wait(release);
                }
            },
            states);
        return [.. states.Select(static state => new WeakReference(state))];
    }
}
