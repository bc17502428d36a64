using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Shutdown;

/// <summary>A callback that is posted during a stop runs on the loop, or is dropped and counted, or is rejected; nothing else (T144).</summary>
public sealed class LoopRefusalTests
{
    private const int Posters = 3;
    private const int MostPending = 500;

    private static readonly Action<object?> s_nothing = static _ => { };

    public enum StopKind
    {
        Disposed,
        FromACallback,
        ByToken,
    }

    [Fact]
    public async Task T144_APosterThatWasDelayedBehindTheCheck_IsRefusedAllTheSame()
    {
        var loop = new EventLoop();
        await Deadline.For(loop.ShutdownAsync(CancellationToken.None));
        Assert.False(loop.Queue.TryEnqueue(s_nothing, null, context: null));
        Assert.Equal((0L, 0L), (loop.PendingCallbackCount, loop.RanElsewhereCount));
    }

    [Theory]
    [InlineData(StopKind.Disposed)]
    [InlineData(StopKind.FromACallback)]
    [InlineData(StopKind.ByToken)]
    public void T144_PostersBesideAStop_EachCallbackRanOnTheLoopOrWasDroppedOrRefused(StopKind stop)
    {
        foreach (int round in Soak.Repeat(150))
        {
            var loop = new EventLoop();
            using var source = new CancellationTokenSource();
            var ran = new int[Posters * 16]; // a line for each
            int onOtherThreads = 0;
            int afterTheEnd = 0;
            int isOver = 0;
            int accepted = 0;
            int spin = round * 100;
            long dropped = 0;
            void Ran(int poster)
            {
                ran[poster * 16]++;
                onOtherThreads += loop.IsInLoop ? 0 : 1;
                afterTheEnd += Volatile.Read(ref isOver);
            }

            StartGate.Run(Posters + 1, thread =>
            {
                if (thread < Posters)
                {
                    Interlocked.Add(ref accepted, PostUntilRefused(loop, () => Ran(thread)));
                    return;
                }

                Thread.SpinWait(spin);
                if (stop == StopKind.FromACallback)
                {
                    Deadline.Wait(loop.InvokeAsync(() => { _ = loop.ShutdownAsync(CancellationToken.None); }));
                }

                Task<long> stopped = loop.ShutdownAsync(source.Token);
                if (stop == StopKind.ByToken)
                {
                    source.Cancel();
                }

                dropped = Deadline.Result(stopped);
                Volatile.Write(ref isOver, 1);
            });

            loop.Dispose(); // and the thread has ended, but for a stop by token, which leaves it to the callback that it has taken
            Deadline.Until(() => ran.Sum() + (int)dropped >= accepted, "what was accepted has run or was dropped");
            Assert.Equal((accepted, 0, 0L), (ran.Sum() + (int)dropped, onOtherThreads, loop.RanElsewhereCount));

            // A stop by token does not wait for the callback that the loop has taken.
            Assert.InRange(afterTheEnd, 0, stop == StopKind.ByToken ? 1 : 0);
            Assert.True(stop == StopKind.ByToken || dropped == 0);
        }
    }

    [Fact]
    public async Task RefusedOnTheLoopItself_WhenATokenHasStoppedIt_AndTheProcessLives()
    {
        var loop = new EventLoop(new EventLoopOptions { Name = "cut short" });
        using var timer = new EventLoopTimer(loop, s_nothing, null);
        using NativeThreadPool pool = Pools.WithThreads(1);
        Action[] entries =
        [
            () => timer.Arm(TimeSpan.Zero),
            () => loop.InvokeAsync(() => { }),
            () => loop.InvokeAsync(() => Task.FromResult(1)),
            () => loop.Offload(pool, s_nothing, s_nothing, null),
            () => loop.OffloadAsync(pool, () => { }),
            () => loop.UnsafePost(s_nothing, null),
            () => loop.Post(s_nothing, null),
        ];
        var refused = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        loop.UnsafePost(
            _ =>
            {
                Deadline.Wait(loop.ShutdownAsync(new CancellationToken(canceled: true)));
                refused.SetResult(entries.Count(entry => Record.Exception(entry) is ObjectDisposedException));
                loop.Post(s_nothing, null); // as a callback that knows nothing of the stop
            },
            null);
        Assert.Equal(entries.Length, await Deadline.For(refused.Task));
        Deadline.Until(() => !LoopThreads.Exists(loop));
        Assert.Equal(0, loop.RanElsewhereCount);
    }

    [Fact]
    public async Task OffloadBesideAStop_CompletesOnTheLoopOrIsRefused()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        foreach (int round in Soak.Repeat(50))
        {
            var loop = new EventLoop();
            int accepted = 0;
            int completed = 0;
            int elsewhere = 0;
            int spin = round * 100;
            StartGate.Run(3, thread =>
            {
                if (thread == 2)
                {
                    Thread.SpinWait(spin);
                    Deadline.Wait(loop.ShutdownAsync(CancellationToken.None));
                    return;
                }

                try
                {
                    while (true)
                    {
                        loop.Offload(pool, s_nothing, _ => Interlocked.Add(ref loop.IsInLoop ? ref completed : ref elsewhere, 1), null);
                        Interlocked.Increment(ref accepted);
                        loop.OffloadAsync(pool, () => { });
                    }
                }
                catch (ObjectDisposedException)
                {
                    // the end that each comes to
                }
            });

            Assert.Equal((accepted, 0, 0L), (completed, elsewhere, loop.RanElsewhereCount));
        }

        await Deadline.For(pool.ShutdownAsync(CancellationToken.None));
    }

    [Fact]
    public void T36_ContinuationsOfOneThreadBesideAStopByToken_KeepTheirOrder()
    {
        foreach (int round in Soak.Repeat(100))
        {
            var loop = new EventLoop();
            var ran = new List<int>();
            const int count = 300;
            using var all = new CountdownEvent(count);
            int spin = round * 30;
            StartGate.Run(2, thread =>
            {
                if (thread == 1)
                {
                    Thread.SpinWait(spin);
                    Deadline.Wait(loop.ShutdownAsync(new CancellationToken(canceled: true)));
                    return;
                }

                for (int i = 0; i < count; i++)
                {
                    loop.SynchronizationContext.Post(
                        number =>
                        {
                            ran.Add((int)number!);
                            all.Signal();
                        },
                        i);
                }
            });
            Deadline.Wait(all);
            Assert.Equal(Enumerable.Range(0, count), ran);
        }
    }

    private static int PostUntilRefused(EventLoop loop, Action ran)
    {
        int accepted = 0;
        try
        {
            while (true)
            {
                while (loop.PendingCallbackCount > MostPending && !loop.IsStopped)
                {
                    Thread.Yield();
                }

                loop.UnsafePost(static ran => ((Action)ran!)(), ran);
                accepted++;
            }
        }
        catch (ObjectDisposedException)
        {
            return accepted;
        }
    }
}
