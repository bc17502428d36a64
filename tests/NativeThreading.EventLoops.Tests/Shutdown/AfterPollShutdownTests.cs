using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Shutdown;

/// <summary>What becomes of callbacks that wait for the next poll when their loop ends.</summary>
public sealed class AfterPollShutdownTests
{
    [Fact]
    public async Task Drain_RunsThem_AndWhatTheyPost()
    {
        var loop = new EventLoop();
        int ran = 0;
        void Again(object? state)
        {
            if (++ran < 100)
            {
                loop.PostAfterPoll(Again, null);
            }
        }

        Task<long> stopped;
        using (new OccupiedLoop(loop))
        {
            loop.PostAfterPoll(Again, null);
            stopped = loop.ShutdownAsync(CancellationToken.None);
        }

        Assert.Equal(0, await Deadline.For(stopped));
        Assert.Equal(100, ran);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task T114_StopByToken_DropsAndCountsThem(bool fromTheLoop)
    {
        var loop = new EventLoop(new EventLoopOptions { Name = "after-poll" });
        using var source = new CancellationTokenSource();
        int ran = 0;
        void Post()
        {
            for (int i = 0; i < 77; i++)
            {
                loop.PostAfterPoll(_ => ran++, null);
            }
        }

        using var posted = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        loop.UnsafePost(
            _ =>
            {
                if (fromTheLoop)
                {
                    Post();
                }

                posted.Set();
                release.Wait(Deadline.Time);
            },
            null);
        Deadline.Wait(posted);
        if (!fromTheLoop)
        {
            Post();
        }

        Task<long> stopped = loop.ShutdownAsync(source.Token);
        await source.CancelAsync();
        Assert.Equal(77, await Deadline.For(stopped));
        Assert.Equal(0, loop.PendingCallbackCount);
        release.Set();
        Deadline.Until(() => !LoopThreads.Exists(loop));
        Assert.Equal(0, ran);
        Assert.Throws<ObjectDisposedException>(Post);
    }

    [Fact]
    public async Task OnTheLoop_StoppedByToken_IsRefused()
    {
        var loop = new EventLoop();
        using var source = new CancellationTokenSource();
        var refused = new TaskCompletionSource<Exception?>(TaskCreationOptions.RunContinuationsAsynchronously);
        loop.UnsafePost(
            _ =>
            {
                _ = loop.ShutdownAsync(source.Token);
                source.Cancel();
                refused.SetResult(Record.Exception(() => loop.PostAfterPoll(static _ => { }, null)));
            },
            null);
        Assert.IsType<ObjectDisposedException>(await Deadline.For(refused.Task));
    }

    /// <summary>Each accepted callback has run or is counted as dropped, wherever the stop catches it.</summary>
    [Fact]
    public async Task T144_StopByTokenBesidePosts_LosesNone()
    {
        foreach (int round in Soak.Repeat(200))
        {
            var loop = new EventLoop(new EventLoopOptions { Name = "ap-race" });
            using var source = new CancellationTokenSource();
            int accepted = 0, ran = 0;
            Task<long>? stopped = null;
            StartGate.Run(3, thread =>
            {
                if (thread == 0)
                {
                    SpinWait.SpinUntil(() => Volatile.Read(ref accepted) > round % 50, Deadline.Time);
                    stopped = loop.ShutdownAsync(source.Token);
                    source.Cancel();
                    return;
                }

                try
                {
                    for (int i = 0; i < 2_000; i++)
                    {
                        loop.UnsafePostAfterPoll(_ => Interlocked.Increment(ref ran), null);
                        Interlocked.Increment(ref accepted);
                    }
                }
                catch (ObjectDisposedException)
                {
                    // The stop came first.
                }
            });
            long dropped = await Deadline.For(stopped!);
            Deadline.Until(() => !LoopThreads.Exists(loop));
            Deadline.Until(() => Volatile.Read(ref ran) + dropped >= accepted); // where no list of threads by name exists, the last one may still run
            Assert.Equal(accepted, ran + dropped);
        }
    }
}
