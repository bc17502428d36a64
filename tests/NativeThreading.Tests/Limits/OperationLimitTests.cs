using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Limits;

/// <summary>MaxConcurrentOperations with several threads; the rest of its contract is that of each IWorkScheduler (OperationLimitContract).</summary>
public sealed class OperationLimitTests
{
    [Theory]
    [InlineData(null)]
    [InlineData(1_000)]
    public async Task NoMoreAreInFlight_AndOthersFollowInOrder(int? queueLimit)
    {
        await using NativeThreadPool pool = Create(2, queueLimit);
        int inFlight = 0, most = 0;
        var started = new List<int>();
        var gates = Enumerable.Range(0, 50).Select(static _ => new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).ToArray();
        Task[] operations = [.. gates.Select((gate, i) => pool.Run(async () =>
        {
            lock (started)
            {
                started.Add(i);
                most = Math.Max(most, ++inFlight);
            }

            await gate.Task;
            lock (started)
            {
                inFlight--;
            }
        }))];
        Deadline.Until(() => pool.CompletedWorkItemCount == 50); // each item has had its turn
        Assert.Equal(48, pool.PendingWorkItemCount);
        Assert.True(queueLimit is null || pool.Probe.HeldPermits == 48);
        await pool.Run(static () => { }); // a task is no operation, and a thread is free for it
        foreach (TaskCompletionSource gate in gates)
        {
            gate.SetResult();
        }

        await Deadline.For(Task.WhenAll(operations));
        Assert.Equal(2, most);
        Assert.Equal(Enumerable.Range(0, 50), started.Order());
        Assert.Equal(0, pool.PendingWorkItemCount);
    }

    [Fact]
    public void StopThatMeetsOperationsThatBeginToWait_LeavesNone()
    {
        for (int round = 0; round < 100; round++)
        {
            NativeThreadPool pool = Create(1);
            var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            Task[] operations = [.. Enumerable.Range(0, 10).Select(_ => pool.Run(() => gate.Task))];
            Deadline.Wait(pool.ShutdownAsync(new CancellationToken(canceled: true)));
            gate.SetResult();
            Deadline.Wait(Task.WhenAll(operations).ContinueWith(static _ => { }, TaskScheduler.Default));
        }
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

    private static NativeThreadPool Create(int most, int? queueLimit = null, QueueFullMode mode = QueueFullMode.Reject) => new(new NativeThreadPoolOptions
    {
        MaxThreads = 2,
        MaxConcurrentOperations = most,
        QueueLimit = queueLimit,
        QueueFullMode = mode,
    });
}
