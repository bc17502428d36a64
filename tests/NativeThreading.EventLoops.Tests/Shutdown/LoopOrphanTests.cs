using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Shutdown;

/// <summary>Continuations that outlive their loop run elsewhere: one at a time, in order, after its last callback (T36).</summary>
public sealed class LoopOrphanTests
{
    private const int Count = 200;

    [Fact]
    public async Task T36_ContinuationsAfterTheStop_RunOneAtATimeInOrderAndAreCounted()
    {
        var loop = new EventLoop();
        await Deadline.For(loop.ShutdownAsync(CancellationToken.None));
        var ran = new List<int>();
        int inside = 0;
        int overlaps = 0;
        using var all = new CountdownEvent(Count);
        for (int i = 0; i < Count; i++)
        {
            int number = i;
            loop.SynchronizationContext.Post(
                _ =>
                {
                    overlaps += Interlocked.Increment(ref inside) == 1 ? 0 : 1;
                    ran.Add(number);
                    Thread.Yield();
                    Interlocked.Decrement(ref inside);
                    all.Signal();
                },
                null);
        }

        Deadline.Wait(all);
        Assert.Equal(Enumerable.Range(0, Count), ran);
        Assert.Equal((0, (long)Count), (overlaps, loop.RanElsewhereCount));
    }

    [Fact]
    public async Task T36_QueuedContinuations_WaitForTheRunningCallback()
    {
        var loop = new EventLoop();
        using var ran = new CountdownEvent(2 * Count);
        bool stuck = true;
        int beside = 0;
        void Ran()
        {
            beside += Volatile.Read(ref stuck) ? 1 : 0;
            ran.Signal();
        }

        using (var occupied = new OccupiedLoop(loop))
        {
            for (int i = 0; i < Count; i++)
            {
                loop.SynchronizationContext.Post(_ => Ran(), null);
            }

            Assert.Equal(0, await Deadline.For(loop.ShutdownAsync(new CancellationToken(canceled: true))));
            for (int i = 0; i < Count; i++)
            {
                _ = Task.Factory.StartNew(Ran, CancellationToken.None, TaskCreationOptions.None, loop.Scheduler);
            }

            // Nothing signals that something did not happen: the built-in pool gets its chance to be wrong.
            await Task.Run(() => { });
            await Task.Yield();
            Assert.Equal(2 * Count, ran.CurrentCount);
            Volatile.Write(ref stuck, false);
            occupied.Release();
            Deadline.Wait(ran);
        }

        Assert.Equal((0, 2L * Count), (beside, loop.RanElsewhereCount));
    }

    [Fact]
    public async Task T36_AsyncMethodsAndTasks_StillComplete()
    {
        var loop = new EventLoop();
        var gate = new TaskCompletionSource();
        Task<(bool, bool)>[] methods = [.. Enumerable.Range(0, 10).Select(_ => loop.Call(async () =>
        {
            await gate.Task;
            await Task.Yield();
            return (loop.IsInLoop, SynchronizationContext.Current == loop.SynchronizationContext);
        }))];
        await Deadline.For(loop.ShutdownAsync(CancellationToken.None)); // it knows of no operation
        gate.SetResult();

        // Their context stays theirs, so that what they await comes back to the same queue.
        Assert.All(await Deadline.For(Task.WhenAll(methods)), seen => Assert.Equal((false, true), seen));
        Assert.Equal(5, await Deadline.For(Task.Factory.StartNew(
            () => 5, CancellationToken.None, TaskCreationOptions.None, loop.Scheduler)));
        Assert.Equal(6, await Deadline.For(Task.CompletedTask.ContinueWith(_ => 6, loop.Scheduler)));
        Deadline.Wait(Task.Run(() => loop.SynchronizationContext.Send(_ => { }, null)));
        Assert.Equal(23, loop.RanElsewhereCount);
    }

    [Fact]
    public async Task T36_OpenOperations_CompleteAfterAStopByToken()
    {
        var loop = new EventLoop();
        var gate = new TaskCompletionSource();
        Task<int> operation = loop.InvokeAsync(async () =>
        {
            await gate.Task;
            await Task.Yield();
            return 5;
        });
        loop.Call(() => { });
        Assert.Equal(0, await Deadline.For(loop.ShutdownAsync(new CancellationToken(canceled: true))));
        gate.SetResult();
        Assert.Equal(5, await Deadline.For(operation));
    }

    [Theory, CombinatorialBooleans]
    public async Task T38_ACallbackThatOutlivedItsLoop_CanWaitForAnother(bool send)
    {
        var loop = new EventLoop();
        await Deadline.For(loop.ShutdownAsync(CancellationToken.None));
        var waited = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        loop.SynchronizationContext.Post(
            _ =>
            {
                if (send)
                {
                    loop.SynchronizationContext.Send(_ => { }, null);
                }
                else
                {
                    Endless.Wait(Task.Factory.StartNew(() => { }, CancellationToken.None, TaskCreationOptions.None, loop.Scheduler));
                }

                waited.SetResult();
            },
            null);
        await Deadline.For(waited.Task);
    }
}
