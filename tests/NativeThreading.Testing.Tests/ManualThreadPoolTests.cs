using NativeThreading.Tests.Support;

namespace NativeThreading.Testing.Tests;

/// <summary>Stepping: what runs when, on which thread, and what is refused.</summary>
public sealed class ManualThreadPoolTests
{
    private readonly ManualThreadPool _pool = new();

    /// <summary>A thread on which the framework runs no task in place; no other thread would run what it queues instead.</summary>
    [Fact]
    public void T136_OnAThreadWithLittleStack_OperationsGoOn()
    {
        var pool = new ManualThreadPool();
        bool ran = false;
        var thread = new Thread(
            () =>
            {
                Assert.False(System.Runtime.CompilerServices.RuntimeHelpers.TryEnsureSufficientExecutionStack());
                pool.Run(
                    async () =>
                    {
                        await Task.Yield();
                        ran = true;
                    },
                    CancellationToken.None);
                pool.RunAll();
            },
            maxStackSize: 128 * 1024) { IsBackground = true };
        thread.Start();
        Assert.True(thread.Join(TimeSpan.FromSeconds(30)), "The operation continues.");
        Assert.True(ran);
    }

    [Fact]
    public void NothingRuns_BeforeTheTestSaysSo_AndThenOnTheTestsThread()
    {
        Thread? ranOn = null;
        ManualThreadPool? current = null;
        _pool.QueueUserWorkItem(_ => (ranOn, current) = (Thread.CurrentThread, ManualThreadPool.Current));
        Assert.Equal((1L, 0L, null), (_pool.PendingWorkItemCount, _pool.CompletedWorkItemCount, ranOn));
        Assert.True(_pool.RunOne());
        Assert.Equal((Thread.CurrentThread, _pool), (ranOn, current));
        Assert.Equal((0L, 1L), (_pool.PendingWorkItemCount, _pool.CompletedWorkItemCount));
        Assert.False(_pool.RunOne());
        Assert.Null(ManualThreadPool.Current);
    }

    [Fact]
    public void RunOne_RunsOne_TheOldest()
    {
        var ran = new List<int>();
        _pool.QueueUserWorkItem(ran.Add, 1, preferLocal: true);
        _pool.QueueUserWorkItem(ran.Add, 2, preferLocal: false);
        _pool.RunOne();
        Assert.Equal([1], ran);
        _pool.RunOne();
        Assert.Equal([1, 2], ran);
    }

    [Fact]
    public void RunAll_RunsWhatItemsQueueMeanwhile_AndSaysHowMany()
    {
        int left = 10;
        void Step(object? state)
        {
            if (--left > 0)
            {
                _pool.QueueUserWorkItem(Step);
            }
        }

        _pool.QueueUserWorkItem(Step);
        Assert.Equal(10, _pool.RunAll());
        Assert.Equal(0, _pool.RunAll());
    }

    [Fact]
    public void RunAll_GivesUp_WhereItemsGoOnQueueingItems()
    {
        void Forever(object? state) => _pool.QueueUserWorkItem(Forever);
        _pool.QueueUserWorkItem(Forever);
        var exception = Assert.Throws<InvalidOperationException>(() => _pool.RunAll(100));
        Assert.Contains("100 items", exception.Message, StringComparison.Ordinal);
        Assert.Equal((1L, 100L), (_pool.PendingWorkItemCount, _pool.CompletedWorkItemCount));
        Assert.Throws<ArgumentOutOfRangeException>("most", () => _pool.RunAll(0));
        Assert.Throws<ArgumentOutOfRangeException>("most", () => _pool.RunFor(TimeSpan.Zero, 0));
    }

    [Fact]
    public void ExceptionOfAnItem_LeavesRunOne_AndThePoolGoesOn()
    {
        _pool.QueueUserWorkItem(_ => throw new FormatException());
        bool ran = false;
        _pool.QueueUserWorkItem(_ => ran = true);
        Assert.Throws<FormatException>(() => _pool.RunAll());
        Assert.False(ran);
        Assert.Equal(1, _pool.RunAll());
        Assert.True(ran);
        Assert.Equal(2, _pool.CompletedWorkItemCount);
    }

    [Fact]
    public void ExceptionOfATask_StaysInTheTask()
    {
        Task task = _pool.Run((Action)(() => throw new FormatException()), CancellationToken.None);
        Assert.Equal(1, _pool.RunAll());
        Assert.IsType<FormatException>(task.Exception!.InnerException);
    }

    [Fact]
    public void SteppingThePoolInsideAnItem_IsRefused()
    {
        var thrown = new List<Exception?>();
        _pool.QueueUserWorkItem(_ =>
        {
            thrown.Add(Record.Exception(() => _pool.RunOne()));
            thrown.Add(Record.Exception(() => _pool.RunAll()));
            thrown.Add(Record.Exception(() => _pool.RunFor(TimeSpan.FromSeconds(1))));
        });
        _pool.RunAll();
        Assert.All(thrown, exception =>
            Assert.Contains("is running an item on this thread", Assert.IsType<InvalidOperationException>(exception).Message, StringComparison.Ordinal));
        Assert.Equal(3, thrown.Count);
    }

    [Fact]
    public void SteppingThePoolOnASecondThread_IsRefused()
    {
        Exception? thrown = null;
        _pool.QueueUserWorkItem(_ =>
        {
            var other = new Thread(() => thrown = Record.Exception(() => _pool.RunOne()));
            other.Start();
            Deadline.Join(other);
        });
        _pool.RunAll();
        Assert.Contains("Only one thread at a time", Assert.IsType<InvalidOperationException>(thrown).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void ItemOfOnePool_MayStepAnother()
    {
        var other = new ManualThreadPool("other");
        var seen = new List<string?>();
        other.QueueUserWorkItem(_ => seen.Add(ManualThreadPool.Current?.Name));
        _pool.QueueUserWorkItem(_ =>
        {
            other.RunAll();
            seen.Add(ManualThreadPool.Current?.Name);
        });
        _pool.RunAll();
        Assert.Equal(["other", "manual"], seen);
    }

    [Fact]
    public void AsyncMethod_GoesOnStepByStep()
    {
        var steps = new List<int>();
        Task operation = _pool.Run(
            async () =>
            {
                for (int i = 0; i < 3; i++)
                {
                    steps.Add(i);
                    await Task.Yield();
                }
            },
            CancellationToken.None);
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal(i, steps.Count);
            Assert.True(_pool.RunOne());
        }

        Assert.False(operation.IsCompleted);
        Assert.True(_pool.RunOne());
        Assert.True(operation.IsCompletedSuccessfully);
        Assert.False(_pool.RunOne());
    }

    [Fact]
    public void SynchronousCallThatWouldWait_IsRefused_ForItWouldWaitForEver()
    {
        var pool = new ManualThreadPool("full", queueLimit: 1, QueueFullMode.Wait);
        pool.QueueUserWorkItem(_ => { });
        Assert.Throws<QueueFullException>(() => pool.QueueUserWorkItem(_ => { }));
        Action run = () => pool.Run(() => { }, CancellationToken.None);
        Assert.Throws<QueueFullException>(run);
        Task waiting = pool.RunAsync(() => { }, CancellationToken.None);
        Assert.Equal(1, pool.WaitingCallerCount);
        Assert.Equal(2, pool.RunAll());
        Assert.True(waiting.IsCompletedSuccessfully);
    }

    [Fact]
    public void ItemsThatRunOnTheirCaller_AreRefusedWhenTheStackEnds()
    {
        var pool = new ManualThreadPool("full", queueLimit: 1, QueueFullMode.RunOnCaller);
        pool.QueueUserWorkItem(_ => { });
        int depth = 0;
        void Queue(object? state)
        {
            depth++;
            pool.QueueUserWorkItem(Queue);
        }

        Assert.Throws<QueueFullException>(() => Queue(null));
        Assert.True(depth > 100);
    }

    [Theory]
    [InlineData("", null, QueueFullMode.Reject, "name")]
    [InlineData("pool", 0, QueueFullMode.Reject, "queueLimit")]
    [InlineData("pool", 1, (QueueFullMode)7, "queueFullMode")]
    public void BadOptions_AreRefused(string name, int? limit, QueueFullMode mode, string parameter) =>
        Assert.Equal(parameter, Assert.ThrowsAny<ArgumentException>(() => new ManualThreadPool(name, limit, mode)).ParamName);
}
