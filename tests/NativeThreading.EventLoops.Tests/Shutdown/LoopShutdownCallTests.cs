using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Shutdown;

/// <summary>Who may shut a loop down, how often, and what a second one gets.</summary>
public sealed class LoopShutdownCallTests
{
    [Fact]
    public async Task FromACallback_TheRestStillRuns()
    {
        var loop = new EventLoop();
        int ran = 0;
        Task<long>? stopped = null;
        using (new OccupiedLoop(loop))
        {
            loop.UnsafePost(
                _ =>
                {
                    stopped = loop.ShutdownAsync(CancellationToken.None);
                    loop.UnsafePost(_ => ran++, null);
                },
                null);
            loop.UnsafePost(_ => ran++, null);
        }

        Deadline.Until(() => Volatile.Read(ref stopped) is not null);
        Assert.Equal(0, await Deadline.For(stopped!));
        Assert.Equal(2, ran);
    }

    [Fact]
    public void RepeatedAndConcurrent_AllGetTheSameEnd()
    {
        var loop = new EventLoop();
        int ran = 0;
        for (int i = 0; i < 1_000; i++)
        {
            loop.UnsafePost(_ => ran++, null);
        }

        StartGate.Run(8, thread =>
        {
            switch (thread % 3)
            {
                case 0:
                    Deadline.Wait(loop.ShutdownAsync(CancellationToken.None));
                    break;
                case 1:
                    loop.Dispose();
                    break;
                default:
                    Deadline.Wait(loop.DisposeAsync().AsTask());
                    break;
            }

            Assert.Equal(1_000, ran); // each waiting caller waited for all
        });
        loop.Dispose();
        Assert.Equal(0, Deadline.Result(loop.ShutdownAsync(CancellationToken.None)));
    }

    [Theory, CombinatorialBooleans]
    public void DisposeOnItsOwnThread_BeginsAndDoesNotWait(bool asTask)
    {
        var loop = new EventLoop();
        int ran = 0;
        Task disposed = loop.Call(() =>
        {
            loop.UnsafePost(_ => ran++, null);
            if (!asTask)
            {
                loop.Dispose();
            }

            return loop.DisposeAsync().AsTask();
        });
        Deadline.Wait(disposed);
        Assert.Equal(1, ran);
    }

    [Fact]
    public void NeverUsedAndSleepingLoops_EndAtOnce()
    {
        new EventLoop().Dispose();
        var slept = new EventLoop();
        slept.WaitUntilAsleep();
        slept.Dispose();
    }

    [Fact]
    public void ContinuationsOfTheShutdown_DoNotRunOnTheLoopsThread()
    {
        var loop = new EventLoop(new EventLoopOptions { Name = "ended" });
        Task<string?> continuation;
        using (new OccupiedLoop(loop))
        {
            continuation = loop.ShutdownAsync(CancellationToken.None).ContinueWith(
                _ => Thread.CurrentThread.Name,
                CancellationToken.None,
                TaskContinuationOptions.ExecuteSynchronously,
                TaskScheduler.Default);
        }

        Assert.NotEqual("ended", Deadline.Result(continuation));
    }
}
