using NativeThreading.Kestrel.Adaptive;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;

/// <summary>Where a watched call continues whose code continues in place.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class CallContextTests
{
    [Fact]
    public async Task WhatIsPostedOnTheRuntimesPool_GoesOnThere_BehindItsCaller()
    {
        await using var loop = new EventLoop();
        CallContext context = InPlace(loop);
        var ran = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);

        bool wasInside = await Deadline.For(OnRuntimePool(() =>
        {
            bool hasReturned = false;
            bool isInside = false;
            var posted = Thread.CurrentThread;
            context.Post(
                _ =>
                {
                    isInside = Thread.CurrentThread == posted && !Volatile.Read(ref hasReturned);
                    ran.SetResult($"{Places.Mine} {SynchronizationContext.Current == context}");
                },
                null);
            bool result = isInside;
            Volatile.Write(ref hasReturned, true);
            return result;
        }));

        Assert.False(wasInside);
        Assert.Equal($"{Places.Runtime} True", await Deadline.For(ran.Task));
    }

    [Fact]
    public async Task CodeThatYields_GoesToTheLoop_AndSoDoesWhatAnotherThreadPosts()
    {
        await using var loop = new EventLoop();
        CallContext context = InPlace(loop);

        Assert.Equal(Places.Loop, await Deadline.For(Task.Run(async () =>
        {
            SynchronizationContext.SetSynchronizationContext(context);
            await Task.Yield();
            return Places.Mine;
        })));
        var posted = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        var thread = new Thread(() => context.Post(_ => posted.SetResult(Places.Mine), null)) { IsBackground = true };
        thread.Start();
        Assert.Equal(Places.Loop, await Deadline.For(posted.Task));
    }

    [Fact]
    public async Task Errors_GoToTheLoop_WhichHasAHandler()
    {
        var caught = new TaskCompletionSource<Exception>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var loop = new EventLoop(new EventLoopOptions { UnhandledException = caught.TrySetResult });
        CallContext context = InPlace(loop);

        await Deadline.For(OnRuntimePool(() =>
        {
            context.Post(static _ => throw new InvalidDataException("expected"), null);
            return true;
        }));

        Assert.IsType<InvalidDataException>(await Deadline.For(caught.Task));
    }

    [Fact]
    public async Task BeginOfARequest_HasItsErrorsOnTheLoop_AndGoesOnOnTheRuntimesPool()
    {
        var caught = new TaskCompletionSource<Exception>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var loop = new EventLoop(new EventLoopOptions { UnhandledException = caught.TrySetResult });
        var places = new TaskCompletionSource<string[]>(TaskCreationOptions.RunContinuationsAsynchronously);

        RuntimePoolStart.Queue(loop.SynchronizationContext, new SaturatingCounter(1), _ => BeginAsync(), null);
        Assert.Equal([Places.Runtime, Places.Runtime], await Deadline.For(places.Task));
        RuntimePoolStart.Queue(loop.SynchronizationContext, new SaturatingCounter(1), static _ => throw new InvalidDataException("expected"), null);
        Assert.IsType<InvalidDataException>(await Deadline.For(caught.Task));

        async void BeginAsync()
        {
            string started = Places.Mine;
            await Task.Yield();
            places.SetResult([started, Places.Mine]);
        }
    }

    private static Task<T> OnRuntimePool<T>(Func<T> code) => Task.Run(code);

    private static CallContext InPlace(EventLoop loop)
    {
        var unit = new EndpointProfile("unit", null);
        for (int i = 0; i < Learning.ProofOfShort; i++)
        {
            unit.Judge(Verdict.Short);
        }

        for (int i = 0; i < 2 * Learning.ProofOfElsewhere; i++)
        {
            unit.Resumes(isAlone: true);
        }

        return new CallContext(unit, loop.SynchronizationContext, loop.SynchronizationContext);
    }
}
