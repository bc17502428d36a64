using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>
/// When an operation of the same pool completes what another operation awaits, it resumes that operation in its call, as on the built-in
/// pool; any other code queues it.
/// </summary>
public sealed class AwaitInPlaceTests : IDisposable
{
    private readonly AsyncLocal<string?> _local = new();
    private readonly NativeThreadPool _pool = Pools.WithThreads(1);
    private readonly List<string> _log = []; // by one worker at a time

    public void Dispose() => _pool.Dispose();

    [Theory]
    [InlineData(TaskCreationOptions.None, "resumed", "completed")]
    [InlineData(TaskCreationOptions.RunContinuationsAsynchronously, "completed", "resumed")]
    public async Task CompletedByAnOperation_ResumesInItsCall_UnlessTheSourceQueues(TaskCreationOptions options, string first, string second)
    {
        var source = new TaskCompletionSource(options);
        Task awaiting = AwaitAsync(source.Task);
        await Deadline.For(_pool.Run(() =>
        {
            Complete(source);
            return Task.CompletedTask;
        }));
        await Deadline.For(awaiting);
        Assert.Equal([first, second], _log);
    }

    /// <summary>These have no context, or another pool's.</summary>
    [Theory]
    [InlineData("item")]
    [InlineData("task")]
    [InlineData("group")]
    [InlineData("foreign thread")]
    [InlineData("operation of another pool")]
    public async Task CompletedByAnybodyElse_ResumesAsAnItemOfThePool(string by)
    {
        using NativeThreadPool other = Pools.WithThreads(1, "other");
        var source = new TaskCompletionSource();
        Task awaiting = AwaitAsync(source.Task);
        void CompleteHere()
        {
            source.SetResult();
            if (by is "item" or "task" or "group")
            {
                _log.Add("completed"); // by the only worker, which resumes later
            }
        }

        switch (by)
        {
            case "item":
                _pool.OnWorker(CompleteHere);
                break;
            case "task":
                await Deadline.For(_pool.Run(CompleteHere));
                break;
            case "group":
                var group = new WorkGroup(_pool);
                group.Queue(_ => CompleteHere(), 0);
                await Deadline.For(group.WaitAsync());
                break;
            case "foreign thread":
                CompleteHere();
                break;
            default:
                await Deadline.For(other.Run(() =>
                {
                    CompleteHere();
                    return Task.CompletedTask;
                }));
                break;
        }

        await Deadline.For(awaiting);
        Assert.Equal("resumed", _log[^1]);
    }

    [Fact]
    public async Task BothFindTheirOwnContexts()
    {
        var source = new TaskCompletionSource();
        _local.Value = "awaiting";
        Task awaiting = _pool.Run(async () =>
        {
            await source.Task;
            Assert.Equal("awaiting", _local.Value);
            _local.Value = "resumed";
            SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
        });
        _pool.WaitUntilQuiet();
        _local.Value = "completing";
        await Deadline.For(_pool.Run(() =>
        {
            source.SetResult();
            Assert.True(awaiting.IsCompleted);
            Assert.Equal("completing", _local.Value);
            Assert.True(_pool.SwitchTo().GetAwaiter().IsCompleted);
            return Task.CompletedTask;
        }));
        await Deadline.For(awaiting);
        Assert.Equal((null, null), _pool.OnWorker(() => (_local.Value, SynchronizationContext.Current)));
    }

    /// <summary>Each resumes in the call of the one before, until there is no stack left: then it is queued.</summary>
    [Fact]
    public async Task LongChain_ResumesWithoutItsLengthInStack()
    {
        const int Length = 100_000;
        TaskCompletionSource[] sources = [.. Enumerable.Range(0, Length + 1).Select(static _ => new TaskCompletionSource())];
        Task all = Task.WhenAll(Enumerable.Range(0, Length).Select(i => _pool.Run(async () =>
        {
            await sources[i].Task;
            sources[i + 1].SetResult();
        })));
        _pool.WaitUntilQuiet();
        await Deadline.For(_pool.Run(() =>
        {
            sources[0].SetResult();
            return Task.CompletedTask;
        }));
        await Deadline.For(sources[Length].Task);
        await Deadline.For(all);
    }

    /// <summary>The completing item is one of the queue with a limit, and what it resumes needs no permit.</summary>
    [Fact]
    public async Task InAFullQueue_ItGoesOnAllTheSame()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, MaxBlockedThreads = 0, QueueLimit = 1 });
        var source = new TaskCompletionSource();
        Task<bool> awaiting = pool.Run(async () =>
        {
            await source.Task;
            await Task.Yield();
            return NativeThreadPool.Current == pool;
        });
        pool.WaitUntilQuiet();
        await Deadline.For(pool.Run(() =>
        {
            pool.QueueUserWorkItem(static _ => { });
            Assert.False(pool.TryQueueUserWorkItem(static _ => { }, null));
            source.SetResult();
            return Task.CompletedTask;
        }));
        Assert.True(await Deadline.For(awaiting));
    }

    /// <summary>The second operation is open from its first await on; the code that completes it in place ends it.</summary>
    [Fact]
    public async Task OpenOperation_KeepsThePoolFromStoppingUntilItIsCompletedInPlace()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var source = new TaskCompletionSource();
        Task awaiting = pool.Run(async () => await source.Task);
        Task completing = pool.Run(async () =>
        {
            await gate.Task;
            source.SetResult();
            Assert.True(awaiting.IsCompletedSuccessfully);
        });
        pool.WaitUntilQuiet();
        Task<long> stopped = pool.ShutdownAsync(CancellationToken.None);
        Assert.False(stopped.IsCompleted);
        gate.SetResult();
        Assert.Equal(0, await Deadline.For(stopped));
        await Deadline.For(completing);
        Assert.Equal(0, pool.RanElsewhereCount);
    }

    private Task AwaitAsync(Task task)
    {
        Task awaiting = _pool.Run(async () =>
        {
            await task;
            Assert.Same(_pool, NativeThreadPool.Current);
            Assert.Same(TaskScheduler.Default, TaskScheduler.Current);
            Assert.True(_pool.SwitchTo().GetAwaiter().IsCompleted);
            _log.Add("resumed");
        });
        _pool.WaitUntilQuiet(); // it awaits
        return awaiting;
    }

    private void Complete(TaskCompletionSource source)
    {
        source.SetResult();
        _log.Add("completed");
    }
}
