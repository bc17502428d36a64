using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>await pool.SwitchTo().</summary>
public sealed class SwitchToTests : IDisposable
{
    private readonly NativeThreadPool _pool = Pools.WithThreads(2);

    public void Dispose() => _pool.Dispose();

    [Fact]
    public async Task FromOutside_ContinuesOnThePoolAndStays()
    {
        await Deadline.For(Method());

        async Task Method()
        {
            await _pool.SwitchTo();
            AssertHere();
            await Task.Yield();
            AssertHere();
            await Elsewhere.CompleteAsync();
            AssertHere();
        }
    }

    [Fact]
    public async Task FromTheRuntimesPool_Switches()
    {
        await Deadline.For(Task.Run(async () =>
        {
            Assert.Null(NativeThreadPool.Current);
            await _pool.SwitchTo();
            AssertHere();
        }));
    }

    [Fact]
    public async Task BetweenPools_SwitchesThereAndBack()
    {
        using NativeThreadPool other = Pools.WithThreads(1, "other");
        await Deadline.For(_pool.Run(async () =>
        {
            AssertHere();
            await other.SwitchTo();
            Assert.Same(other, NativeThreadPool.Current);
            await Task.Yield();
            Assert.Same(other, NativeThreadPool.Current);
            await _pool.SwitchTo();
            AssertHere();
        }));
    }

    [Fact]
    public async Task WhereItIsAlready_CompletesSynchronously()
    {
        await Deadline.For(_pool.Run(async () =>
        {
            int thread = Environment.CurrentManagedThreadId;
            Assert.True(_pool.SwitchTo().GetAwaiter().IsCompleted);
            await _pool.SwitchTo();
            Assert.Equal(thread, Environment.CurrentManagedThreadId);
        }));
    }

    [Fact]
    public async Task FromARawItemOfThePool_ContinuesWithTheContext()
    {
        var done = new TaskCompletionSource();
        _pool.QueueUserWorkItem(_ => Method().ContinueWith(
            method => done.SetFromTask(method), TaskScheduler.Default));
        await Deadline.For(done.Task);

        async Task Method()
        {
            Assert.False(_pool.SwitchTo().GetAwaiter().IsCompleted);
            await _pool.SwitchTo();
            AssertHere();
        }
    }

    /// <summary>What follows a switch has one meaning, wherever it began.</summary>
    [Fact]
    public async Task FromATaskOfTheFactory_LeavesItsScheduler()
    {
        await Deadline.For(_pool.Factory.StartNew(async () =>
        {
            Assert.Same(_pool.Scheduler, TaskScheduler.Current);
            await _pool.SwitchTo();
            AssertHere();
        }).Unwrap());
    }

    [Theory, CombinatorialBooleans]
    public async Task ExecutionContext_FlowsUnlessSuppressed(bool suppressed)
    {
        var local = new AsyncLocal<string?> { Value = "caller" };
        Task<string?> method;
        AsyncFlowControl? suppression = suppressed ? ExecutionContext.SuppressFlow() : null;
        try
        {
            method = Method();
        }
        finally
        {
            suppression?.Undo();
        }

        Assert.Equal(suppressed ? null : "caller", await Deadline.For(method));

        async Task<string?> Method()
        {
            await _pool.SwitchTo();
            return local.Value;
        }
    }

    [Fact]
    public async Task OnCompleted_FlowsTheContextAndUnsafeOnCompletedDoesNot()
    {
        var local = new AsyncLocal<string?> { Value = "caller" };
        using var flowed = new Observation<string?>(() => local.Value);
        using var notFlowed = new Observation<string?>(() => local.Value);
        _pool.SwitchTo().GetAwaiter().OnCompleted(() => flowed.Observe(null));
        _pool.SwitchTo().GetAwaiter().UnsafeOnCompleted(() => notFlowed.Observe(null));
        Assert.Equal(("caller", null), (flowed.Result, notFlowed.Result));
        await Task.CompletedTask;
    }

    private void AssertHere()
    {
        Assert.Same(_pool, NativeThreadPool.Current);
        Assert.Same(TaskScheduler.Default, TaskScheduler.Current);
        Assert.True(_pool.SwitchTo().GetAwaiter().IsCompleted);
    }
}
