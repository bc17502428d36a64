using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.HandOver;

/// <summary>While a callback blocks another thread runs the callbacks after it.</summary>
public sealed class BlockedCallbackTests : HandOverTest
{
    [Fact]
    public void Sleep_DelaysNobodyForItsWholeTime()
    {
        using var sleeps = new ManualResetEventSlim();
        bool slept = false;
        Loop.Post(
            _ =>
            {
                sleeps.Set();
#pragma warning disable RS0030 // what is tested is a callback that sleeps
                Thread.Sleep(2_000);
#pragma warning restore RS0030
                Volatile.Write(ref slept, true);
            },
            null);
        Deadline.Wait(sleeps);

        OnLoop(static () => { });

        Assert.False(Volatile.Read(ref slept));
    }

    [Fact]
    public async Task Result_OfTheLoopsOwnContinuation_Comes()
    {
        async Task<int> Continue()
        {
            await Task.Yield();
            return 17;
        }

#pragma warning disable xUnit1031, VSTHRD002 // the callback waits for its own loop: that is the point
        Assert.Equal(17, await Deadline.For(Loop.InvokeAsync(() => Continue().GetAwaiter().GetResult())));
#pragma warning restore xUnit1031, VSTHRD002
    }

    [Fact]
    public void EveryCallbackAtOnce_WaitsForTheLoop_AndAllEnd()
    {
        const int count = 16;
        using var all = new CountdownEvent(count);
        for (int i = 0; i < count; i++)
        {
            Loop.Post(
                _ =>
                {
                    Deadline.Wait(Loop.InvokeAsync(static () => { }));
                    all.Signal();
                },
                null);
        }

        Deadline.Wait(all);
    }

    [Fact]
    public void Region_HandsOverThoughNobodyProvesAnything()
    {
        using var ran = new ManualResetEventSlim();
        bool ranInside = false;
        OnLoop(() =>
        {
            Loop.Post(_ => ran.Set(), null);
            using (NativeThreadPool.EnterBlockingRegion())
            {
                // Computes, so that no evidence would ever relieve it.
                Deadline.Until(() => ran.IsSet);
                ranInside = true;
            }
        });

        Assert.True(ranInside);
    }

    [Fact]
    public async Task FormerDriver_IsNotInTheLoop_AndItsPostsRunThere()
    {
        bool before = false;
        bool after = true;
        EventLoop? current = Loop;
        SynchronizationContext? context = null;
        var posted = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        bool sent = false;
        Task ended = BlockTheLoop(
            () => before = Loop.IsInLoop,
            () =>
            {
                (after, current, context) = (Loop.IsInLoop, EventLoop.Current, SynchronizationContext.Current);
                Loop.Post(_ => posted.SetResult(Loop.IsInLoop), null);
                Loop.SynchronizationContext.Send(_ => sent = Loop.IsInLoop, null);
            });
        LetGo();

        await Deadline.For(ended);

        Assert.Equal((true, false, null), (before, after, current));
        Assert.Same(Loop.SynchronizationContext, context);
        Assert.True(await Deadline.For(posted.Task));
        Assert.True(sent);
    }

    [Fact]
    public async Task FormerDriver_IsNotUsedForTasksOfTheScheduler()
    {
        bool inLoop = false;
        Task ended = BlockTheLoop(last: () =>
            Deadline.Wait(Task.Factory.StartNew(() => inLoop = Loop.IsInLoop, CancellationToken.None, TaskCreationOptions.None, Loop.Scheduler)));
        LetGo();

        await Deadline.For(ended);

        Assert.True(inLoop);
    }

    [Fact]
    public async Task Queue_KeepsItsOrderBehindABlockedCallback()
    {
        Task ended = BlockTheLoop();
        var ran = new List<int>();
        for (int i = 0; i < 1_000; i++)
        {
            int number = i;
            Loop.Post(_ => ran.Add(number), null);
        }

        OnLoop(static () => { });
        Assert.Equal(Enumerable.Range(0, 1_000), ran);
        LetGo();
        await Deadline.For(ended);
    }

    [Fact]
    public async Task Exception_OfAFormerDriver_AsksTheHandler_AndTheLoopGoesOn()
    {
        Task ended = BlockTheLoop(last: static () => throw new InvalidOperationException("former"));
        LetGo();
        Assert.Equal("former", NextUnhandled().Message);
        Assert.Equal("former", (await Assert.ThrowsAsync<InvalidOperationException>(() => Deadline.For(ended))).Message);
        OnLoop(() => Assert.True(Loop.IsInLoop));
    }

    [Fact]
    public async Task AfterPoll_OfAFormerDriver_RunsOnTheLoop()
    {
        var ran = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        Task ended = BlockTheLoop(last: () => Loop.PostAfterPoll(_ => ran.SetResult(Loop.IsInLoop), null));
        LetGo();
        await Deadline.For(ended);
        Assert.True(await Deadline.For(ran.Task));
    }

    [Fact]
    public async Task Offloads_BesideBlockedCallbacks_AllComplete()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "offload" });
        Task ended = BlockTheLoop(last: () => Deadline.Wait(Loop.OffloadAsync(pool, static () => { })));
        Task[] tasks = [.. Enumerable.Range(0, 100).Select(_ => Loop.OffloadAsync(pool, static () => { }))];
        await Deadline.For(Task.WhenAll(tasks));
        LetGo();
        await Deadline.For(ended);
        OnLoop(() => Assert.Equal(0, Loop.Offloads.Outstanding));
    }

    [Fact]
    public void WithoutTheOption_TheLoopWaits()
    {
        using var loop = new EventLoop();
        using var go = new ManualResetEventSlim();
        using var blocks = new ManualResetEventSlim();
        loop.Post(
            _ =>
            {
                blocks.Set();
                using (NativeThreadPool.EnterBlockingRegion())
                {
                    Deadline.Wait(go);
                }
            },
            null);
        Deadline.Wait(blocks);
        Task behind = loop.InvokeAsync(static () => { });
        Task probe = Loop.InvokeAsync(() => Deadline.Wait(Loop.InvokeAsync(static () => { }))); // a handing-over loop meanwhile does
        Deadline.Wait(probe);
        Assert.False(behind.IsCompleted);
        Assert.Null(loop.HandOver);
        go.Set();
        Deadline.Wait(behind);
    }
}
