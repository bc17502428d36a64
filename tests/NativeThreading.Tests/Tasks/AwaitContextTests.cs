using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>The context that operations of Run resume through.</summary>
public sealed class AwaitContextTests : IDisposable
{
    private readonly AsyncLocal<string?> _local = new();
    private readonly NativeThreadPool _pool = Pools.WithThreads(1);

    public void Dispose() => _pool.Dispose();

    [Fact]
    public async Task OperationOfRun_HasOneFromItsFirstInstructionOn()
    {
        Assert.NotNull(await Deadline.For(_pool.Run(() => Task.FromResult(SynchronizationContext.Current))));
        Assert.NotNull(await Deadline.For(_pool.Run(async () =>
        {
            await Task.Yield();
            return SynchronizationContext.Current;
        })));
    }

    [Fact]
    public async Task WhatIsNoOperation_HasNone()
    {
        Assert.Null(_pool.OnWorker(() => SynchronizationContext.Current));
        Assert.Null(await Deadline.For(_pool.Run(() => SynchronizationContext.Current)));
        Assert.Null(await Deadline.For(_pool.Factory.StartNew(() => SynchronizationContext.Current)));
    }

    /// <summary>A resumption, raw items and tasks take turns on one worker.</summary>
    [Theory, CombinatorialBooleans]
    public async Task RawItemsBetweenResumptions_FindNothingOfThem(bool changesExecutionContext)
    {
        const int Rounds = 500;
        var found = new List<(SynchronizationContext?, TaskScheduler, string?, string?)>();
        long before = _pool.CompletedWorkItemCount;
        await Deadline.For(_pool.Run(async () =>
        {
            for (int i = 0; i < Rounds; i++)
            {
                if (changesExecutionContext)
                {
                    _local.Value = "operation";
                }

                _pool.UnsafeQueueUserWorkItem(
                    _ => found.Add((SynchronizationContext.Current, TaskScheduler.Current, _local.Value, Thread.CurrentThread.Name)), null);
                Thread.CurrentThread.Name = "renamed";
                await Task.Yield();
                Assert.Same(TaskScheduler.Default, TaskScheduler.Current);
                Assert.Equal(changesExecutionContext ? "operation" : null, _local.Value);
                Assert.NotEqual("renamed", Thread.CurrentThread.Name);
            }
        }));
        _pool.WaitUntilQuiet();
        Assert.Equal(Rounds, found.Count);
        Assert.All(found, seen => Assert.Equal((null, TaskScheduler.Default, null, "test-worker-0"), seen));
        Assert.Equal(1 + (2 * Rounds), _pool.CompletedWorkItemCount - before);
    }

    [Fact]
    public async Task TasksBetweenResumptions_FindNoContextAndTheScheduler() => await Deadline.For(_pool.Run(async () =>
    {
        for (int i = 0; i < 100; i++)
        {
            Task<(SynchronizationContext?, TaskScheduler)> task = _pool.Factory.StartNew(() => (SynchronizationContext.Current, TaskScheduler.Current));
            await Task.Yield();
            Assert.Equal((null, _pool.Scheduler), await task);
        }
    }));

    [Fact]
    public async Task Post_RunsOnThePoolWithTheContext_AndTheExecutionContextFlows()
    {
        SynchronizationContext context = await ContextAsync();
        _local.Value = "poster";
        using var seen = new Observation<(NativeThreadPool?, TaskScheduler, string?, object?)>(
            () => (NativeThreadPool.Current, TaskScheduler.Current, _local.Value, SynchronizationContext.Current));
        context.Post(seen.Observe, null);
        Assert.Equal((_pool, TaskScheduler.Default, "poster", context), seen.Result);
        Assert.Null(_pool.OnWorker(() => _local.Value));
    }

    [Fact]
    public async Task Send_RunsInPlaceOnAWorker_AndThereFromElsewhere()
    {
        SynchronizationContext context = await ContextAsync();
        NativeThreadPool? from = null;
        context.Send(_ => from = NativeThreadPool.Current, null);
        Assert.Same(_pool, from);
        Assert.Throws<InvalidOperationException>(() => context.Send(_ => throw new InvalidOperationException(), null));
        bool ran = false;
        Assert.True(_pool.OnWorker(() =>
        {
            context.Send(_ => ran = true, null); // the only worker: anywhere else than here would be a deadlock
            return ran;
        }));
    }

    [Fact]
    public async Task BadArguments_Throw()
    {
        SynchronizationContext context = await ContextAsync();
        Assert.Throws<ArgumentNullException>("d", () => context.Post(null!, null));
        Assert.Throws<ArgumentNullException>("d", () => context.Send(null!, null));
        Assert.Same(context, context.CreateCopy());
    }

    /// <summary>A posted callback, or an async void method, may throw; the other resumed awaits of the same batch still run (T42).</summary>
    [Fact]
    public async Task T42_PostedCallbackThatThrows_IsThePoolsHandlersAndNobodyElses()
    {
        var taken = new List<string>();
        await using var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            MaxThreads = 1,
            UnhandledException = exception =>
            {
                taken.Add(exception.Message);
                return true;
            },
        });
        int resumed = 0;
        await Deadline.For(pool.Run(() =>
        {
            SynchronizationContext context = SynchronizationContext.Current!;
            return Task.WhenAll(Enumerable.Range(0, 10).Select(async i =>
            {
                await Task.Yield();
                resumed++;
                context.Post(_ => throw new InvalidOperationException("posted"), null);
                Fail();
                await Task.Yield();
                resumed++;
            }));

            static async void Fail()
            {
                await Task.Yield();
                throw new InvalidOperationException("async void");
            }
        }));
        pool.WaitUntilQuiet();
        Assert.Equal(20, resumed);
        Assert.Equal((10, 10), (taken.Count(text => text == "posted"), taken.Count(text => text == "async void")));
        Assert.Equal(1 + 10 + 10 + 10 + 10 + 10, pool.CompletedWorkItemCount); // once each: the failing methods' yield and their exception
    }

    private Task<SynchronizationContext> ContextAsync() => Deadline.For(_pool.Run(() => Task.FromResult(SynchronizationContext.Current!)));
}
