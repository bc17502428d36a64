using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Limits;

/// <summary>What happens to a caller in the moment before it joins the waiter list: held there by the permits' lock.</summary>
public sealed class JoiningTests
{
    public static TheoryData<string> Asynchronous => EntryCall.Asynchronous;

    [Theory, MemberData(nameof(Asynchronous))]
    public async Task TokenCancelled_TheCallerLeavesTheLineAtOnce(string call)
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        using var source = new CancellationTokenSource();
        bool ran = false;
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            Task waiting = Joined(pool, () => pool.QueueAsync(call, () => ran = true, source.Token), source.Cancel);
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(waiting));
            Assert.Equal(0, pool.Probe.WaitingCallers);
        }

        pool.AssertEmpty();
        Assert.False(ran);
    }

    [Fact]
    public void TokenCancelled_AndAPermitFree_ThePermitIsReleasedAgain()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        using var source = new CancellationTokenSource();
        using var blocked = new BlockedWorkers(pool, 1);
        pool.Fill();
        bool ran = false;
        Task waiting = Joined(pool, () => pool.RunAsync(() => ran = true, source.Token), () =>
        {
            source.Cancel();
            blocked.Release();
            Deadline.Until(() => pool.Probe.HeldPermits == 0);
        });
        Assert.True(waiting.IsCanceled);
        pool.AssertEmpty();
        Assert.False(ran);
    }

    [Theory, MemberData(nameof(Asynchronous))]
    public async Task PoolShutDown_TheCallerIsRefused(string call)
    {
        NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        bool ran = false;
        Task<long>? stopped = null;
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            Task waiting = Joined(
                pool, () => pool.QueueAsync(call, () => ran = true), () => stopped = pool.ShutdownAsync(CancellationToken.None));
            await Assert.ThrowsAsync<ObjectDisposedException>(() => Deadline.For(waiting));
        }

        Assert.Equal(0, await Deadline.For(stopped!));
        Assert.False(ran);
    }

    /// <summary>Calls on another thread; something happens when that thread is about to join.</summary>
    private static Task Joined(NativeThreadPool pool, Func<Task> call, Action happens)
    {
        Task? called = null;
        var caller = new Thread(() => called = call()) { IsBackground = true };
        using (pool.Probe.HoldWaitingCallers())
        {
            caller.Start();
            Deadline.Until(() => (caller.ThreadState & ThreadState.WaitSleepJoin) != 0, "the caller waits for the lock");
            happens();
        }

        Deadline.Join(caller);
        return called!;
    }
}
