using System.Runtime.CompilerServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>Waits nested deeper than a stack (T135): another worker takes over, or the wait says that none can.</summary>
public sealed class DeepWaitTests
{
    private const int SmallStack = 256 * 1024;

    [Theory]
    [InlineData(SmallStack, 5_000, false)]
    [InlineData(SmallStack, 5_000, true)]
    [InlineData(0, 30_000, false)]
    [InlineData(0, 30_000, true)]
    public async Task T135_DeeperThanTheStack_OthersTakeOver(int stackSize, int depth, bool inTask)
    {
        // In a process of its own: an overflow would end this one.
        ChildProcess.Result child = await ChildProcess.RunAsync(
            DeepWaitChildren.Chain,
            (DeepWaitChildren.StackVariable, $"{stackSize}"),
            (DeepWaitChildren.DepthVariable, $"{depth}"),
            (DeepWaitChildren.InTaskVariable, $"{inTask}"));
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    [Theory]
    [InlineData(SmallStack, 1, 2_000)]
    [InlineData(SmallStack, 3, 2_000)]
    public void T135_NobodyMayTakeOver_TheWaitThrowsAndThePoolGoesOn(int stackSize, int threads, int depth)
    {
        using NativeThreadPool pool = Pool(stackSize, threads, maxBlocked: 0);
        int started = 0;
        var groups = new List<WorkGroup>();
        void Level(int left)
        {
            Interlocked.Increment(ref started);
            if (left != 0)
            {
                var group = new WorkGroup(pool);
                lock (groups)
                {
                    groups.Add(group);
                }

                group.Queue(Level, left - 1);
                group.Wait();
            }
        }

        // More than once: what one round left queued has run before the next.
        for (int round = 1; round <= 2; round++)
        {
            Exception? thrown = pool.OnWorker(() => Record.Exception(() => Level(depth)));
            Assert.IsType<InsufficientExecutionStackException>(thrown);
            Assert.Contains("MaxBlockedThreads = 0", thrown!.Message, StringComparison.Ordinal);
            pool.WaitUntilQuiet();
            Assert.All(groups, static group => Assert.Equal(0, group.PendingCount));
        }

        Assert.Equal((2 * (depth + 1), threads), (started, pool.ThreadCount));
    }

    [Fact]
    public void T135_OutOfStackWithATimeout_EndsAtTheTimeout()
    {
        using NativeThreadPool pool = Pool(SmallStack, threads: 1, maxBlocked: 0);
        var ends = new List<bool>();
        void Level(int left)
        {
            var group = new WorkGroup(pool);
            group.Queue(
                _ =>
                {
                    if (left != 0)
                    {
                        Level(left - 1);
                    }
                },
                0);
            ends.Add(group.Wait(TimeSpan.FromMilliseconds(500)));
        }

        pool.OnWorker(() => Level(1_000));
        pool.WaitUntilQuiet();
        Assert.Contains(false, ends);
    }

    [Fact]
    public void T135_OutOfStack_AGroupThatAnotherWorkerRunsIsWaitedFor()
    {
        using NativeThreadPool pool = Pool(SmallStack, threads: 2, maxBlocked: 0);
        var other = new WorkGroup(pool);
        using var release = new ManualResetEventSlim();
        using var started = new ManualResetEventSlim();
        other.Queue(
            _ =>
            {
                started.Set();
                release.Wait(Deadline.Time);
            },
            0);
        Deadline.Wait(started);
        using var done = new Observation<bool>(() =>
        {
            WhereTheStackIsShort(other.Wait);
            return true;
        });
        pool.UnsafeQueueUserWorkItem(done.Observe, null);
        Deadline.Until(() => pool.BlockedThreadCount == 1, "the waiter counts as blocked at once, though no work waits");
        release.Set();
        Assert.True(done.Result);
        Assert.Equal(0, pool.BlockedThreadCount);
    }

    [Fact]
    public void T135_OutOfStack_WhoMightHaveTakenOverWaitsToo_TheWaitThrowsAllTheSame()
    {
        NativeThreadPool pool = Pool(SmallStack, threads: 2, maxBlocked: 0); // disposed of where no item waits in it indefinitely
        var inner = new WorkGroup(pool);
        Exception? thrown = pool.OnWorker(() => Record.Exception(() =>
        {
            var outer = new WorkGroup(pool);
            outer.Queue(
                _ => WhereTheStackIsShort(() =>
                {
                    inner.Queue(static _ => { }, 0);
                    inner.Wait();
                }),
                0);
            Deadline.Until(() => pool.BlockedThreadCount == 1, "the other one waits, for this one might run its item");
            outer.Wait(); // has stack, and would wait indefinitely
        }));
        Assert.IsType<InsufficientExecutionStackException>(thrown);
        pool.WaitUntilQuiet();
        Assert.Equal(0, inner.PendingCount);
        pool.Dispose();
    }

    private static void WhereTheStackIsShort(Action action)
    {
        if (RuntimeHelpers.TryEnsureSufficientExecutionStack())
        {
            WhereTheStackIsShort(action);
        }
        else
        {
            action();
        }
    }

    private static NativeThreadPool Pool(int stackSize, int threads, int maxBlocked) => new(new NativeThreadPoolOptions
    {
        Name = "deep",
        MaxThreads = threads,
        MinThreads = threads,
        MaxBlockedThreads = maxBlocked,
        MaxStackSize = stackSize,
    });
}
