using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Contract;

/// <summary>Once an item has run, the pool keeps neither its state nor its target nor its context alive.</summary>
public sealed class RetentionTests
{
    [Fact]
    public void ItemsAreForgotten_WhenTheWorkerIsParked()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        WeakReference[] items = QueueItems(pool, 10, preferLocal: false);
        pool.WaitUntilQuiet();
        Retention.AssertCollected(items);
    }

    [Theory, CombinatorialBooleans]
    public void ItemsAreForgotten_WhenTheWorkerIsParkedAfterQueueingThemItself(bool preferLocal)
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        WeakReference[] items = pool.OnWorker(() => QueueItems(pool, 10, preferLocal));
        pool.WaitUntilQuiet();
        Retention.AssertCollected(items);
    }

    [Fact]
    public void ItemsAreForgotten_WhileTheWorkerIsBlockedInALaterItem() => QueueAndBlock(10);

    /// <summary>
    /// The one before is in no frame either, whichever way the worker has come to the later one: it looks elsewhere every
    /// so many items, and runs what it finds there. What a frame keeps depends on how far the compiler has got with it.
    /// </summary>
    [Theory]
    [InlineData("DOTNET_TieredCompilation", "0")]
    [InlineData("DOTNET_TieredPGO", "0")]
    [InlineData("DOTNET_TC_QuickJitForLoops", "0")]
    [InlineData("DOTNET_JITMinOpts", "1")]
    public async Task ItemsAreForgotten_WhileTheWorkerIsBlocked_HoweverTheCodeWasCompiled(string setting, string value)
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(QueueAndBlockBehindAny, (setting, value));
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    /// <summary>
    /// T149: the compiler puts many methods into one that is called often, and then follows only some of its variables: the
    /// others live as long as the frame, and a worker's frames live on.
    /// </summary>
    [Theory]
    [InlineData("40")]
    [InlineData("A0")]
    public async Task T149_ItemsAreForgotten_WhileTheWorkerIsBlocked_HoweverFewVariablesTheCompilerFollows(string variables)
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(QueueAndBlockUntilCompiledAnew, ("DOTNET_JitMaxLocalsToTrack", variables));
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    private static int QueueAndBlockUntilCompiledAnew()
    {
        for (long began = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(began) < TimeSpan.FromSeconds(5);)
        {
            QueueAndBlockBehindAny();
        }

        return 0;
    }

    private static int QueueAndBlockBehindAny()
    {
        for (int count = 1; count <= 20; count++)
        {
            QueueAndBlock(count);
        }

        return 0;
    }

    private static void QueueAndBlock(int count)
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        WeakReference[] items = QueueItems(pool, count, preferLocal: false);
        using (new BlockedWorkers(pool, 1))
        {
            Retention.AssertCollected(items);
        }
    }

    [Theory, CombinatorialBooleans]
    public void ItemsAreForgotten_WhenStolenFromAWorkerThatIsBlocked(bool preferLocal)
    {
        using var queued = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        using NativeThreadPool pool = Pools.WithThreads(2);
        WeakReference[] items = [];
        pool.UnsafeQueueUserWorkItem(
            _ =>
            {
                items = QueueItems(pool, 10, preferLocal);
                queued.Set();
                release.Wait(Deadline.Time);
            },
            null);
        try
        {
            Deadline.Wait(queued);
            Deadline.Until(() => pool.CompletedWorkItemCount == items.Length);
            Retention.AssertCollected(items);
        }
        finally
        {
            release.Set();
        }
    }

    [Theory, CombinatorialBooleans]
    public void ItemsAreForgotten_AfterTheirQueueHasGrown(bool fromWorker)
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        WeakReference[] items;
        if (fromWorker)
        {
            items = pool.OnWorker(() => QueueItems(pool, 5_000, preferLocal: true));
        }
        else
        {
            using (new BlockedWorkers(pool, 1))
            {
                items = QueueItems(pool, 5_000, preferLocal: false);
            }
        }

        pool.WaitUntilQuiet();
        Retention.AssertCollected(items);
    }

    [Fact]
    public void ContextIsForgotten()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        WeakReference context = QueueWithContext(pool);
        pool.WaitUntilQuiet();
        Retention.AssertCollected(context);
    }

    [Fact]
    public void ContextThatAnItemSet_IsForgotten()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        WeakReference value = pool.OnWorker(SetLocal);
        pool.WaitUntilQuiet();
        Retention.AssertCollected(value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference[] QueueItems(NativeThreadPool pool, int count, bool preferLocal)
    {
        var references = new WeakReference[2 * count];
        for (int i = 0; i < count; i++)
        {
            var state = new Target();
            var target = new Target();

            // Two items per round, as many as there are objects to watch.
            references[2 * i] = new WeakReference(state);
            references[(2 * i) + 1] = new WeakReference(target);

            pool.UnsafeQueueUserWorkItem(target.Use, state, preferLocal);
            pool.QueueUserWorkItem(target.Use, state, preferLocal);
        }

        return references;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference QueueWithContext(NativeThreadPool pool)
    {
        WeakReference? reference = null;
        StartGate.Run(1, _ =>
        {
            reference = SetLocal();
            pool.QueueUserWorkItem(static _ => { });
        });
        return reference!;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference SetLocal()
    {
        var value = new Target();
        _ = new AsyncLocal<Target> { Value = value };
        return new WeakReference(value);
    }

    private sealed class Target
    {
        public void Use(Target other) => GC.KeepAlive(other);
    }
}
