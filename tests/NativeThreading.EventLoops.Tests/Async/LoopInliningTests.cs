using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Async;

/// <summary>Where a task of the loop's scheduler may run at once (T38).</summary>
public sealed class LoopInliningTests : IDisposable
{
    private readonly EventLoop _loop = new();

    public void Dispose() => _loop.Dispose();

    [Fact]
    public void T38_WaitOnTheLoop_RunsTheQueuedTaskAtOnceAndOnce()
    {
        int ran = 0;
        _loop.Call(() =>
        {
            _loop.UnsafePost(_ => Assert.Equal(1, ran), null);
            Task task = StartNew(() => ran++);
            Endless.Wait(task); // only inlining can end it, which a time limit would rule out
            Assert.Equal((1, 1L), (ran, _loop.PendingCallbackCount));
        });
        _loop.Call(() => { });
        Assert.Equal(1, ran);
    }

    [Fact]
    public void T38_WaitFromElsewhere_RunsNothingElsewhere()
    {
        EventLoop? seen = null;
        Task task;
        using (var occupied = new OccupiedLoop(_loop))
        {
            task = StartNew(() => { seen = EventLoop.Current; });
            Assert.False(task.Wait(TimeSpan.Zero));
            occupied.Release();
            Deadline.Wait(task);
        }

        Assert.Same(_loop, seen);
    }

    [Fact]
    public async Task T38_RunSynchronously_OnTheLoopRunsAtOnce_ElsewhereOnTheLoop()
    {
        Assert.Same(_loop, _loop.Call(RunSynchronously));
        Assert.Same(_loop, await Deadline.For(Task.Run(RunSynchronously)));

        EventLoop? RunSynchronously()
        {
            var task = new Task<EventLoop?>(() => EventLoop.Current);
            task.RunSynchronously(_loop.Scheduler);
            return task.Result;
        }
    }

    [Fact]
    public void T38_DeepInlining_EndsBeforeTheStackDoes()
    {
        const int depth = 20_000;
        int reached = 0;
        void Nest()
        {
            if (++reached < depth)
            {
                // ExecuteSynchronously on the scheduler: each continuation is inlined into the one before while there is room.
                Task.CompletedTask.ContinueWith(
                    _ => Nest(), CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, _loop.Scheduler);
            }
        }

        _loop.Call(Nest);
        Deadline.Until(() => Volatile.Read(ref reached) == depth);
    }

    private Task StartNew(Action action) =>
        Task.Factory.StartNew(action, CancellationToken.None, TaskCreationOptions.None, _loop.Scheduler);
}
