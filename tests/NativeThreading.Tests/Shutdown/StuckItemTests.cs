using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Shutdown;

/// <summary>An item that outlives its pool: what it still queues runs, and what it waits for comes (T36).</summary>
public sealed class StuckItemTests
{
    [Fact]
    public void T36_ItsTasks_Complete() => AfterTheStop(pool =>
    {
        // WhenAll cannot be inlined: another thread has to run these.
        Task all = Task.WhenAll(Enumerable.Range(0, 10).Select(_ => pool.Factory.StartNew(static () => { })));
        return all.Wait(Deadline.Time / 2);
    });

    [Theory, CombinatorialBooleans]
    public void T36_ItsItems_Run(bool preferLocal) => AfterTheStop(pool =>
    {
        using var ran = new CountdownEvent(10);
        for (int i = 0; i < 10; i++)
        {
            pool.QueueUserWorkItem(_ => ran.Signal(), 0, preferLocal);
        }

        return ran.Wait(Deadline.Time / 2);
    });

    [Fact]
    public void T36_ItsGroup_IsDone() => AfterTheStop(pool =>
    {
        var group = new WorkGroup(pool);
        group.QueueRange(static _ => { }, new int[10]);
        return group.Wait(Deadline.Time / 2);
    });

    [Fact]
    public void T36_ItsGroup_IsDoneWithoutItsHelp() => AfterTheStop(pool =>
    {
        var group = new WorkGroup(pool);
        group.QueueRange(static _ => { }, new int[10]);
        return group.WaitAsync().Wait(Deadline.Time / 2);
    });

    [Fact]
    public void T36_ItsAsyncMethod_Ends() => AfterTheStop(pool =>
    {
        Task<int> method = pool.Factory.StartNew(async () =>
        {
            await Task.Yield();
            await pool.SwitchTo();
            return 5;
        }).Unwrap();
        return Task.WhenAny(method).Wait(Deadline.Time / 2) && method.Result == 5;
    });

    private static void AfterTheStop(Func<NativeThreadPool, bool> onWorker)
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        using var cancellation = new CancellationTokenSource();
        using var entered = new ManualResetEventSlim();
        using var stopped = new ManualResetEventSlim();
        using var done = new Observation<bool>(() =>
        {
            entered.Set();
            stopped.Wait(Deadline.Time);
            return onWorker(pool);
        });
        pool.QueueUserWorkItem(done.Observe);
        Deadline.Wait(entered);
        Task<long> stop = pool.ShutdownAsync(cancellation.Token);
        cancellation.Cancel();
        Assert.Equal(0, Deadline.Result(stop));
        stopped.Set();
        Assert.True(done.Result);
        Deadline.Until(() => pool.ThreadCount == 0);
        Assert.Equal(0, pool.PendingWorkItemCount);
    }
}
