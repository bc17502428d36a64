using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>Where and how the task of an operation completes when the task that its function returned completes later.</summary>
public sealed class OperationPromiseTests : IDisposable
{
    private readonly NativeThreadPool _pool = Pools.WithThreads(2);

    public void Dispose() => _pool.Dispose();

    [Theory, CombinatorialBooleans]
    public void CompletesWhereTheRestDoes(bool withResult)
    {
        var end = new TaskCompletionSource<int>();
        (Task operation, Task<string?> continued) = Follow(end, withResult);
        end.SetResult(42);
        Assert.True(operation.IsCompletedSuccessfully);
        Assert.Equal(Thread.CurrentThread.Name, Deadline.Result(continued));
    }

    /// <summary>Code that completes such a task does not expect foreign code to run in its call, and the built-in pool is not used.</summary>
    [Theory, CombinatorialBooleans]
    public void CompletesOnThePool_WhereTheRestsContinuationsRunAsynchronously(bool withResult)
    {
        var end = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        (Task operation, Task<string?> continued) = Follow(end, withResult);
        end.SetResult(42);
        Assert.StartsWith("test-worker-", Deadline.Result(continued), StringComparison.Ordinal);
        Deadline.Wait(operation);
    }

    [Theory]
    [InlineData(TaskCreationOptions.None)]
    [InlineData(TaskCreationOptions.RunContinuationsAsynchronously)]
    public async Task WhoAwaitsElsewhere_GoesOnElsewhere(TaskCreationOptions options)
    {
        var end = new TaskCompletionSource(options);
        Task<bool> awaiting = Task.Run(async () =>
        {
            await _pool.Run(() => end.Task).ConfigureAwait(false);
            return NativeThreadPool.Current is null;
        });
        Deadline.Until(() => _pool.CompletedWorkItemCount == 1);
        await Deadline.For(_pool.Run(() =>
        {
            end.SetResult();
            return Task.CompletedTask;
        }));
        Assert.True(await Deadline.For(awaiting));
    }

    [Theory, CombinatorialBooleans]
    public void KeepsEveryFault(bool withResult)
    {
        var end = new TaskCompletionSource<int>();
        (Task operation, _) = Follow(end, withResult);
        Exception[] faults = [new FormatException(), new InvalidTimeZoneException()];
        end.SetException(faults);
        Assert.Equal(faults, operation.Exception!.InnerExceptions);
    }

    [Theory, CombinatorialBooleans]
    public void KeepsTheCancellation(bool withResult)
    {
        var end = new TaskCompletionSource<int>();
        (Task operation, _) = Follow(end, withResult);
        var token = new CancellationToken(canceled: true);
        end.SetCanceled(token);
        Assert.True(operation.IsCanceled);
        Assert.Equal(token, Assert.Throws<TaskCanceledException>(() => Deadline.Wait(operation)).CancellationToken);
    }

    /// <summary>Each completes in the call that completes the one before, until there is no stack left.</summary>
    [Fact]
    public void LongChain_CompletesWithoutItsLengthInStack()
    {
        const int Length = 100_000;
        var end = new TaskCompletionSource<int>();
        Task<int> chain = Nested(Length);
        _pool.WaitUntilQuiet();
        end.SetResult(42);
        Assert.Equal(42, Deadline.Result(chain));

        Task<int> Nested(int depth) => depth == 0 ? end.Task : _pool.Run(() => Nested(depth - 1));
    }

    /// <summary>The context that learns of the completion is set for a moment, in which the task may complete.</summary>
    [Fact, Trait("Category", "Race")]
    public void CompletedAsItIsFollowed_NobodyFindsTheContextThatLearnsOfIt()
    {
        for (Budget budget = Budget.Of(250); budget.HasTime;)
        {
            bool started = false;
            var end = new TaskCompletionSource();
            Task operation = _pool.Run(() =>
            {
                Volatile.Write(ref started, true);
                return end.Task;
            });
            Task<string?> seen = operation.ContinueWith(
                static _ => SynchronizationContext.Current?.GetType().Name, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
            while (!Volatile.Read(ref started) && budget.HasTime)
            {
                Thread.SpinWait(1);
            }

            end.SetResult();
            Assert.DoesNotContain("Follower", Deadline.Result(seen) ?? "", StringComparison.Ordinal);
        }
    }

    /// <summary>An operation that has returned its task, and what continues behind it on the thread that completes it.</summary>
    private (Task Operation, Task<string?> Continued) Follow(TaskCompletionSource<int> end, bool withResult)
    {
        Task operation = withResult ? _pool.Run(() => end.Task) : _pool.Run(Task () => end.Task);
        _pool.WaitUntilQuiet();
        return (operation, operation.ContinueWith(
            static task =>
            {
                _ = task.Exception;
                return Thread.CurrentThread.Name;
            },
            CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default));
    }
}
