using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Limits;

/// <summary>MaxConcurrentOperations: so many are in flight, others wait in order and without threads.</summary>
public sealed class OperationLimitTests
{
    [Theory]
    [InlineData(null)]
    [InlineData(1_000)]
    public async Task NoMoreAreInFlight_AndOthersFollowInOrder(int? queueLimit)
    {
        await using NativeThreadPool pool = Create(2, queueLimit);
        int inFlight = 0, most = 0;
        var begun = new List<int>();
        var gates = Enumerable.Range(0, 50).Select(static _ => new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).ToArray();
        Task[] operations = [.. gates.Select((gate, i) => pool.Run(async () =>
        {
            lock (begun)
            {
                begun.Add(i);
                most = Math.Max(most, ++inFlight);
            }

            await gate.Task;
            lock (begun)
            {
                inFlight--;
            }
        }))];
        Deadline.Until(() => pool.PendingWorkItemCount == 48);
        Assert.True(queueLimit is null || pool.Probe.HeldPermits == 48);
        await pool.Run(static () => { }); // a task is no operation, and a thread is free for it
        foreach (TaskCompletionSource gate in gates)
        {
            gate.SetResult();
        }

        await Deadline.For(Task.WhenAll(operations));
        Assert.Equal(2, most);
        Assert.Equal(Enumerable.Range(0, 50), begun.Order());
        Assert.Equal(0, pool.PendingWorkItemCount);
    }

    [Fact]
    public async Task ThoseThatFailOrAreCancelled_GiveTheirPlacesOn()
    {
        await using NativeThreadPool pool = Create(1);
        using var source = new CancellationTokenSource();
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task first = pool.Run(() => gate.Task);
        Deadline.Until(() => pool.CompletedWorkItemCount == 1);
        Task throws = pool.Run((Func<Task>)(static () => throw new FormatException()));
        Task fails = pool.Run(static async () =>
        {
            await Task.Yield();
            throw new FormatException();
        });
        Task cancelled = pool.Run(static () => Task.CompletedTask, source.Token);
        Task isNull = pool.Run(static () => (Task)null!);
        Task last = pool.Run(static () => Task.CompletedTask);
        Deadline.Until(() => pool.PendingWorkItemCount == 5);
        await source.CancelAsync();
        Assert.True(cancelled.IsCanceled);
        Deadline.Until(() => pool.PendingWorkItemCount == 4);
        gate.SetResult();
        await Deadline.For(Task.WhenAll(first, last));
        await Assert.ThrowsAsync<FormatException>(() => throws);
        await Assert.ThrowsAsync<FormatException>(() => fails);
        Assert.True(isNull.IsCanceled);
        Deadline.Until(() => pool.PendingWorkItemCount == 0);
    }

    [Fact]
    public async Task OperationOfAnOperation_DoesNotCount()
    {
        await using NativeThreadPool pool = Create(1);
        Assert.Equal(3, await Deadline.For(pool.Run(async () => 1 + await pool.Run(async () => 1 + await pool.Run(static () => Task.FromResult(1))))));
    }

    [Fact]
    public async Task Drain_RunsThoseThatWait()
    {
        NativeThreadPool pool = Create(1);
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task[] operations = [.. Enumerable.Range(0, 10).Select(_ => pool.Run(() => gate.Task))];
        Deadline.Until(() => pool.PendingWorkItemCount == 9);
        Task<long> stopped = pool.ShutdownAsync(CancellationToken.None);
        Assert.False(stopped.IsCompleted);
        gate.SetResult();
        Assert.Equal(0, await Deadline.For(stopped));
        Assert.All(operations, static operation => Assert.True(operation.IsCompletedSuccessfully));
    }

    [Fact]
    public async Task StopByToken_CancelsThoseThatWait()
    {
        NativeThreadPool pool = Create(1);
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task first = pool.Run(() => gate.Task);
        Task[] others = [.. Enumerable.Range(0, 10).Select(_ => pool.Run(static () => Task.CompletedTask))];
        Deadline.Until(() => pool is { PendingWorkItemCount: 10, CompletedWorkItemCount: 11 });
        Assert.Equal(10, await Deadline.For(pool.ShutdownAsync(new CancellationToken(canceled: true))));
        foreach (Task other in others)
        {
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(other));
        }

        gate.SetResult();
        await Deadline.For(first);
    }

    [Fact]
    public async Task CallerOfAFullQueue_RunsItsOperationBeyondTheLimit()
    {
        await using NativeThreadPool pool = Create(1, 1, QueueFullMode.RunOnCaller);
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task first = pool.Run(() => gate.Task);
        Deadline.Until(() => pool.CompletedWorkItemCount == 1);
        Task second = pool.Run(() => gate.Task);
        Deadline.Until(() => pool.CompletedWorkItemCount == 2 && pool.PendingWorkItemCount == 1);
        Thread? ranOn = null;
        Task third = pool.Run(() =>
        {
            ranOn = Thread.CurrentThread;
            return Task.CompletedTask;
        });
        Assert.True(third.IsCompletedSuccessfully);
        Assert.Equal(Thread.CurrentThread, ranOn);
        gate.SetResult();
        await Deadline.For(Task.WhenAll(first, second));
    }

    [Fact]
    public void CancelledBesideTheEndOfAnother_LosesNoPlace()
    {
        using NativeThreadPool pool = Create(1);
        for (int round = 0; round < 500; round++)
        {
            using var source = new CancellationTokenSource();
            var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            Task first = pool.Run(() => gate.Task);
            Task second = pool.Run(static () => Task.CompletedTask, source.Token);
            Task third = pool.Run(static () => Task.CompletedTask);
            Parallel.Invoke(gate.SetResult, source.Cancel);
            Deadline.Wait(first);
            Deadline.Wait(third);
            Deadline.Until(() => second.IsCompleted && pool.PendingWorkItemCount == 0);
        }
    }

    [Fact]
    public void Option_HasARange()
    {
        using NativeThreadPool pool = Create(3);
        Assert.Equal(3, pool.MaxConcurrentOperations);
        Assert.Throws<ArgumentOutOfRangeException>(static () => Create(0));
    }

    private static NativeThreadPool Create(int most, int? queueLimit = null, QueueFullMode mode = QueueFullMode.Reject) => new(new NativeThreadPoolOptions
    {
        MaxThreads = 2,
        MaxConcurrentOperations = most,
        QueueLimit = queueLimit,
        QueueFullMode = mode,
    });
}
