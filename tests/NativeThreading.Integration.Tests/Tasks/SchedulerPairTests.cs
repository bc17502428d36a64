namespace NativeThreading.Integration.Tasks;

/// <summary>ConcurrentExclusiveSchedulerPair over the pool's scheduler: readers and writers without locks.</summary>
public sealed class SchedulerPairTests : PoolTest
{
    [Fact]
    public async Task ReadersAndWriters_NeverMeet()
    {
        var pair = new ConcurrentExclusiveSchedulerPair(Pool.Scheduler);
        int readers = 0;
        int writers = 0;
        int met = 0;
        int value = 0; // not atomic: only writers touch it
        Task[] tasks = [.. Enumerable.Range(0, Operations).Select(i => i % 5 == 0
            ? Start(pair.ExclusiveScheduler, () =>
            {
                met += Interlocked.Increment(ref writers) != 1 || Volatile.Read(ref readers) != 0 ? 1 : 0;
                value++;
                Trace.NoteThread();
                Interlocked.Decrement(ref writers);
            })
            : Start(pair.ConcurrentScheduler, () =>
            {
                Interlocked.Increment(ref readers);
                Interlocked.Add(ref met, Volatile.Read(ref writers));
                Trace.NoteThread();
                Interlocked.Decrement(ref readers);
            }))];
        await Deadline.For(Task.WhenAll(tasks));
        Assert.Equal((0, Operations / 5), (met, value));
        Trace.AssertOnThePool(Operations);
        pair.Complete();
        await Deadline.For(pair.Completion);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Limit_IsKeptAlsoAcrossAwaits(int limit)
    {
        var pair = new ConcurrentExclusiveSchedulerPair(Pool.Scheduler, limit);
        int inside = 0;
        int overruns = 0;
        await Deadline.For(Task.WhenAll(Enumerable.Range(0, Operations).Select(_ => Start(pair.ConcurrentScheduler, async () =>
        {
            for (int part = 0; part < 3; part++)
            {
                // Between two awaits code is one task of the pair.
                overruns += Interlocked.Increment(ref inside) > limit ? 1 : 0;
                Trace.NoteThread();
                Assert.Same(pair.ConcurrentScheduler, TaskScheduler.Current);
                Interlocked.Decrement(ref inside);
                await Task.Yield();
            }
        }).Unwrap())));
        Assert.Equal(0, overruns);
        Trace.AssertOnThePool(3 * Operations);
    }

    /// <summary>An actor: async methods on the exclusive side need no lock for their state.</summary>
    [Fact]
    public async Task AsyncMethodsOnTheExclusiveSide_InterleaveButNeverOverlap()
    {
        var pair = new ConcurrentExclusiveSchedulerPair(Pool.Scheduler);
        int state = 0;
        await Deadline.For(Task.WhenAll(Enumerable.Range(0, Operations).Select(i => Start(pair.ExclusiveScheduler, async () =>
        {
            state++;
            await Task.Yield();
            Trace.NoteThread();
            state++;
        }).Unwrap())));
        Assert.Equal(2 * Operations, state);
        Trace.AssertOnThePool(Operations);
    }

    [Fact]
    public async Task ExceptionsAndCancellations_DoNotStopThePair()
    {
        var pair = new ConcurrentExclusiveSchedulerPair(Pool.Scheduler);
        using var cancellation = new CancellationTokenSource();
        using var hold = new ManualResetEventSlim();
        Task holder = Start(pair.ExclusiveScheduler, () => hold.Wait(Deadline.Time));
        Task failing = Start(pair.ExclusiveScheduler, () => throw new InvalidTimeZoneException());
        Task cancelled = Task.Factory.StartNew(() => { }, cancellation.Token, TaskCreationOptions.None, pair.ExclusiveScheduler);
        Task last = Start(pair.ConcurrentScheduler, () => Trace.NoteThread());
        await cancellation.CancelAsync();
        hold.Set();
        await Deadline.For(holder);
        await Assert.ThrowsAsync<InvalidTimeZoneException>(() => Deadline.For(failing));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(cancelled));
        await Deadline.For(last);
        pair.Complete();
        await Deadline.For(pair.Completion);
        Trace.AssertOnThePool(1);
    }

    private static Task Start(TaskScheduler scheduler, Action action) =>
        Task.Factory.StartNew(action, CancellationToken.None, TaskCreationOptions.DenyChildAttach, scheduler);

    private static Task<Task> Start(TaskScheduler scheduler, Func<Task> function) =>
        Task.Factory.StartNew(function, CancellationToken.None, TaskCreationOptions.DenyChildAttach, scheduler);
}
