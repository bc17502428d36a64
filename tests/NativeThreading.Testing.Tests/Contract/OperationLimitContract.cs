using NativeThreading.Tests.Support;

namespace NativeThreading.Testing.Tests.Contract;

/// <summary>MaxConcurrentOperations: so many are in flight, others wait in order and without threads.</summary>
/// <typeparam name="TScheduler">The implementation.</typeparam>
public abstract class OperationLimitContract<TScheduler> : SchedulerContract<TScheduler>
    where TScheduler : SchedulerUnderTest, ICreatable<TScheduler>
{
    private readonly TaskCompletionSource _gate = new(TaskCreationOptions.RunContinuationsAsynchronously);

    [Theory]
    [InlineData(null)]
    [InlineData(1_000)]
    public void NoMoreAreInFlight_AndOthersFollowInOrder(int? queueLimit)
    {
        using SchedulerUnderTest under = Create(2, queueLimit);
        int inFlight = 0, most = 0;
        var started = new List<int>();
        var gates = Enumerable.Range(0, 50).Select(static _ => new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).ToArray();
        Task[] operations = [.. gates.Select((gate, i) => under.Scheduler.Run(
            async () =>
            {
                started.Add(i); // one thread
                most = Math.Max(most, ++inFlight);
                await gate.Task;
                inFlight--;
            },
            CancellationToken.None))];
        under.Until(() => under.PendingCount == 48);
        Task task = under.Scheduler.Run(static () => { }, CancellationToken.None); // a task is no operation, and a thread is free for it
        under.Until(() => task.IsCompleted);
        Assert.Equal([0, 1], started);
        foreach (TaskCompletionSource gate in gates)
        {
            gate.SetResult();
        }

        under.Until(() => Task.WhenAll(operations).IsCompleted);
        Assert.Equal(2, most);
        Assert.Equal(Enumerable.Range(0, 50), started);
        Assert.Equal((0, 2), (under.PendingCount, under.MaxConcurrentOperations));
    }

    [Fact]
    public void ThoseThatFailOrAreCancelled_GiveTheirPlacesOn()
    {
        using SchedulerUnderTest under = Create(1);
        IWorkScheduler scheduler = under.Scheduler;
        using var source = new CancellationTokenSource();
        Task first = Wait(under);
        Task throws = scheduler.Run((Func<Task>)(static () => throw new FormatException()), CancellationToken.None);
        Task fails = scheduler.Run(
            static async () =>
            {
                await Task.Yield();
                throw new FormatException();
            },
            CancellationToken.None);
        Task cancelled = scheduler.Run(static () => Task.CompletedTask, source.Token);
        Task isNull = scheduler.Run(static () => (Task)null!, CancellationToken.None);
        Task last = scheduler.Run(static () => Task.CompletedTask, CancellationToken.None);
        under.Until(() => under.PendingCount == 5);
        source.Cancel();
        Assert.True(cancelled.IsCanceled);
        under.Until(() => under.PendingCount == 4);
        _gate.SetResult();
        under.Until(() => Task.WhenAll(first, last).IsCompletedSuccessfully);
        Assert.IsType<FormatException>(throws.Exception!.InnerException);
        Assert.IsType<FormatException>(fails.Exception!.InnerException);
        Assert.True(isNull.IsCanceled);
        under.Until(() => under.PendingCount == 0);
    }

    [Fact]
    public void OperationOfAnOperation_DoesNotCount()
    {
        using SchedulerUnderTest under = Create(1);
        IWorkScheduler scheduler = under.Scheduler;
        Task<int> sum = scheduler.Run(
            async () => 1 + await scheduler.Run(
                async () => 1 + await scheduler.Run(static () => Task.FromResult(1), CancellationToken.None), CancellationToken.None),
            CancellationToken.None);
        under.Until(() => sum.IsCompleted);
        Assert.Equal(3, Deadline.Result(sum));
    }

    /// <summary>The turn of a key starts as an operation in some pools; that is not the user's.</summary>
    [Theory]
    [InlineData(null)]
    [InlineData(10)]
    public void ItemsOfAKeyedQueue_DoNotCount(int? queueLimit)
    {
        using SchedulerUnderTest under = Create(1, queueLimit);
        var queue = new KeyedQueue<string>(under.Scheduler);
        Task open = Wait(under);
        Task[] keys = [queue.Run("a", () => _gate.Task, CancellationToken.None), queue.Run("b", () => Note("b"), CancellationToken.None)];
        under.Until(() => keys[1].IsCompleted);
        _gate.SetResult();
        under.Until(() => keys[0].IsCompleted && open.IsCompleted);
    }

    [Fact]
    public void Drain_RunsThoseThatWait()
    {
        using SchedulerUnderTest under = Create(1);
        Task[] operations = [.. Enumerable.Range(0, 10).Select(_ => under.Scheduler.Run(() => _gate.Task, CancellationToken.None))];
        under.Until(() => under.PendingCount == 9);
        Task<long> stopped = under.ShutdownAsync(CancellationToken.None);
        Assert.False(stopped.IsCompleted);
        _gate.SetResult();
        under.Until(() => stopped.IsCompleted);
        Assert.Equal(0, Deadline.Result(stopped));
        Assert.All(operations, static operation => Assert.True(operation.IsCompletedSuccessfully));
    }

    [Fact]
    public void StopByToken_CancelsThoseThatWait()
    {
        using SchedulerUnderTest under = Create(1);
        Task first = Wait(under);
        Task[] others = [.. Enumerable.Range(0, 10).Select(_ => under.Scheduler.Run(() => Task.FromResult(0), CancellationToken.None))];
        Task last = under.Scheduler.Run(static () => { }, CancellationToken.None);
        under.Until(() => last.IsCompleted && under.PendingCount == 10); // all have had their turns: one thread
        Assert.Equal(10, Deadline.Result(under.ShutdownAsync(new CancellationToken(canceled: true))));
        Assert.All(others, other => Assert.ThrowsAny<OperationCanceledException>(() => Deadline.Wait(other)));
        _gate.SetResult();
        under.Until(() => first.IsCompletedSuccessfully);
    }

    [Fact]
    public void CallerOfAFullQueue_RunsItsOperationBeyondTheLimit()
    {
        using SchedulerUnderTest under = Create(1, 1, QueueFullMode.RunOnCaller);
        Task first = Wait(under);
        Task second = under.Scheduler.Run(() => _gate.Task, CancellationToken.None); // has the permit, and waits for its place
        Thread? ranOn = null;
        Task third = under.Scheduler.Run(
            () =>
            {
                ranOn = Thread.CurrentThread;
                return Task.CompletedTask;
            },
            CancellationToken.None);
        Assert.True(third.IsCompletedSuccessfully);
        Assert.Equal(Thread.CurrentThread, ranOn);
        _gate.SetResult();
        under.Until(() => Task.WhenAll(first, second).IsCompletedSuccessfully);
    }

    [Fact]
    public void Option_HasARange() => Assert.Throws<ArgumentOutOfRangeException>("MaxConcurrentOperations", static () => Create(0));

    /// <summary>An operation that has started, and waits for the gate.</summary>
    private Task Wait(SchedulerUnderTest under)
    {
        bool hasBegun = false;
        Task open = under.Scheduler.Run(
            () =>
            {
                Volatile.Write(ref hasBegun, true);
                return _gate.Task;
            },
            CancellationToken.None);
        under.Until(() => Volatile.Read(ref hasBegun));
        return open;
    }

    private static SchedulerUnderTest Create(int most, int? queueLimit = null, QueueFullMode mode = QueueFullMode.Reject) =>
        Create(new NativeThreadPoolOptions { MaxConcurrentOperations = most, QueueLimit = queueLimit, QueueFullMode = mode });
}

public sealed class ManualOperationLimitTests : OperationLimitContract<ManualSchedulerUnderTest>;

public sealed class NativeOperationLimitTests : OperationLimitContract<NativeSchedulerUnderTest>;
