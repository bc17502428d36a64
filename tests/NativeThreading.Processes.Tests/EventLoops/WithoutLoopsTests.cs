using NativeThreading.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.EventLoops;

/// <summary>The core asks event loops through <see cref="LoopHook"/>. A process without a loop never loads their assembly.</summary>
public sealed class WithoutLoopsTests
{
    [Fact]
    public async Task PoolsObserversAndBlockingRegions_NeedNoLoops()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(UsePoolsOnly);
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    private static int UsePoolsOnly()
    {
        using (var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "alone", MaxThreads = 1 }))
        using (var observer = new ThreadObserver())
        {
            Deadline.Wait(pool.Run(static () =>
            {
                using BlockingRegion region = NativeThreadPool.EnterBlockingRegion();
            }));
            using (NativeThreadPool.EnterBlockingRegion())
            {
                ThreadSnapshot snapshot = observer.TakeSnapshot();
                Assert.Single(snapshot.Pools);
                Assert.Empty(snapshot.Loops);
            }
        }

        Assert.Null(LoopHook.Installed);
        Assert.DoesNotContain(AppDomain.CurrentDomain.GetAssemblies(), static assembly => assembly.GetName().Name == "NativeThreading.EventLoops");
        return FirstLoopIsAsked();
    }

    /// <summary>A method of its own: a method that mentions a loop loads the assembly before it runs.</summary>
    private static int FirstLoopIsAsked()
    {
        using var observer = new ThreadObserver();
        using var loop = new EventLoop(new EventLoopOptions { Name = "first", HandsOverWhenBlocked = true });
        Assert.Equal("first", Assert.Single(observer.TakeSnapshot().Loops).Name);

        // The callback waits for the loop. A monitor would need milliseconds to see that; the region has the loop taken over at once.
        Deadline.Wait(loop.InvokeAsync(() =>
        {
            using (NativeThreadPool.EnterBlockingRegion())
            {
                Deadline.Wait(loop.InvokeAsync(static () => { }));
            }
        }));
        return 0;
    }
}
