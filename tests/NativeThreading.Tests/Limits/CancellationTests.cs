using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Limits;

/// <summary>A token ends the wait for a permit, and takes items that have not started out of the queue.</summary>
public sealed class CancellationTests
{
    public static TheoryData<string> Asynchronous => EntryCall.Asynchronous;

    public static TheoryData<string> Running => [.. EntryCall.Asynchronous.Select(row => row.Data).Where(call => call.StartsWith("Run", StringComparison.Ordinal))];

    [Theory, MemberData(nameof(Asynchronous))]
    public async Task TokenCancelledBefore_NothingIsQueued(string call)
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        bool ran = false;
        Task task = pool.QueueAsync(call, () => ran = true, new CancellationToken(canceled: true));
        Assert.True(task.IsCanceled);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => task);
        pool.AssertEmpty();
        Assert.False(ran);
    }

    [Theory, MemberData(nameof(Asynchronous))]
    public async Task CallerThatWaits_LeavesTheWaiterList(string call)
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        using var source = new CancellationTokenSource();
        bool ran = false, next = false;
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            Task waiting = pool.QueueAsync(call, () => ran = true, source.Token);
            Task behind = pool.QueueAsync(call, () => next = true, CancellationToken.None);
            Assert.Equal(2, pool.Probe.WaitingCallers);
            await source.CancelAsync();
            Assert.Equal(1, pool.Probe.WaitingCallers);
            var exception = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(waiting));
            Assert.Equal(source.Token, exception.CancellationToken);
            Assert.False(behind.IsCompleted);
        }

        pool.AssertEmpty();
        Assert.Equal((false, true), (ran, next));
    }

    [Theory, MemberData(nameof(Running))]
    public async Task TaskInTheQueue_ReleasesItsPermitAtOnce(string call)
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Reject);
        using var source = new CancellationTokenSource();
        int ran = 0;
        using (new BlockedWorkers(pool, 1))
        {
            Task accepted = pool.QueueAsync(call, () => ran += 100, source.Token);
            Assert.False(pool.TryQueueUserWorkItem(_ => { }, null));
            await source.CancelAsync();
            Assert.Equal(0, pool.Probe.HeldPermits);
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(accepted));
            Assert.True(pool.TryQueueUserWorkItem(_ => ran++, null));
            Assert.False(pool.TryQueueUserWorkItem(_ => { }, null));
        }

        pool.AssertEmpty();
        Assert.Equal(1, ran);
    }

    [Theory, MemberData(nameof(Running))]
    public async Task TaskThatWaitedForAPermit_ReleasesItInTheQueueToo(string call)
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        using CancellationTokenSource first = new(), second = new();
        using (new BlockedWorkers(pool, 1))
        {
            Task a = pool.QueueAsync(call, () => { }, first.Token);
            bool ran = false;
            Task b = pool.QueueAsync(call, () => ran = true, second.Token);
            Assert.Equal((1, 1), (pool.Probe.HeldPermits, pool.Probe.WaitingCallers));
            await first.CancelAsync(); // b has a permit now
            Assert.Equal((1, 0), (pool.Probe.HeldPermits, pool.Probe.WaitingCallers));
            await second.CancelAsync();
            Assert.Equal(0, pool.Probe.HeldPermits);
            Assert.True(a.IsCanceled && b.IsCanceled);
            Assert.False(ran);
        }

        pool.AssertEmpty();
    }

    [Fact]
    public void BlockedRun_ReturnsACancelledTask()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        using var source = new CancellationTokenSource();
        Task? task = null;
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            var caller = new Thread(() => task = pool.Run(() => { }, source.Token)) { IsBackground = true };
            caller.Start();
            pool.WaitForWaiters(1);
            source.Cancel();
            Deadline.Join(caller);
        }

        Assert.True(task!.IsCanceled);
        pool.AssertEmpty();
    }

    [Fact]
    public void AcceptedItem_OfQueueAsync_RunsThoughItsTokenIsCancelled()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        using var source = new CancellationTokenSource();
        bool ran = false;
        using (new BlockedWorkers(pool, 1))
        {
            Assert.True(pool.QueueAsync(_ => ran = true, null, source.Token).AsTask().IsCompletedSuccessfully);
            source.Cancel();
            Assert.Equal(1, pool.Probe.HeldPermits);
        }

        pool.AssertEmpty();
        Assert.True(ran);
    }

    [Theory, MemberData(nameof(Asynchronous))]
    public async Task EndedCall_LeavesNothingBehindInItsToken(string call)
    {
        using var source = new CancellationTokenSource();
        await using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        WeakReference[] states = [.. Enumerable.Range(0, 4).Select(_ => Ended())];
        pool.AssertEmpty();
        await Deadline.For(pool.Run(() => { }, CancellationToken.None)); // a slot is used again, a worker forgets its last item
        Retention.AssertCollected(states);

        WeakReference Ended()
        {
            object state = new();
            Task task;
            using (new BlockedWorkers(pool, 1))
            {
                pool.Fill();
                task = pool.QueueAsync(call, () => GC.KeepAlive(state), source.Token);
            }

            Deadline.Wait(task);
            pool.AssertEmpty();
            return new WeakReference(state);
        }
    }
}
