namespace NativeThreading.Integration.Tasks;

/// <summary>Continuations on the scheduler: which run, with which outcome, where.</summary>
public sealed class TaskContinuationTests : PoolTest
{
    public static TheoryData<TaskContinuationOptions, TaskStatus, bool> Cases()
    {
        var cases = new TheoryData<TaskContinuationOptions, TaskStatus, bool>();
        foreach (TaskStatus end in (TaskStatus[])[TaskStatus.RanToCompletion, TaskStatus.Faulted, TaskStatus.Canceled])
        {
            cases.Add(TaskContinuationOptions.None, end, true);
            cases.Add(TaskContinuationOptions.ExecuteSynchronously, end, true);
            cases.Add(TaskContinuationOptions.PreferFairness, end, true);
            cases.Add(TaskContinuationOptions.LazyCancellation, end, true);
            cases.Add(TaskContinuationOptions.RunContinuationsAsynchronously, end, true);
            cases.Add(TaskContinuationOptions.OnlyOnRanToCompletion, end, end == TaskStatus.RanToCompletion);
            cases.Add(TaskContinuationOptions.OnlyOnFaulted, end, end == TaskStatus.Faulted);
            cases.Add(TaskContinuationOptions.OnlyOnCanceled, end, end == TaskStatus.Canceled);
            cases.Add(TaskContinuationOptions.NotOnFaulted, end, end != TaskStatus.Faulted);
            cases.Add(TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously, end, end == TaskStatus.Faulted);
        }

        return cases;
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task ContinueWith_RunsOnThePoolOrIsCancelled(TaskContinuationOptions options, TaskStatus end, bool runs)
    {
        foreach (bool before in (bool[])[true, false])
        {
            var source = new TaskCompletionSource();
            if (before)
            {
                End(source, end);
            }

            Task<TaskStatus> continuation = source.Task.ContinueWith(
                antecedent =>
                {
                    Trace.Note();
                    _ = antecedent.Exception; // observed
                    return antecedent.Status;
                },
                CancellationToken.None,
                options,
                Pool.Scheduler);
            if (!before)
            {
                End(source, end);
            }

            if (runs)
            {
                Assert.Equal(end, await Deadline.For(continuation));
            }
            else
            {
                await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(continuation));
                _ = source.Task.Exception;
            }
        }

        Trace.AssertOnThePool(runs ? 2 : 0);
    }

    [Fact]
    public async Task ThousandContinuationsOfOneTask_EachRunOnceOnThePool()
    {
        var ledger = new Ledger(Operations);
        var source = new TaskCompletionSource();
        Task[] continuations = [.. Enumerable.Range(0, Operations).Select(i => source.Task.ContinueWith(
            _ =>
            {
                Trace.Note();
                ledger.Enter(i);
            },
            CancellationToken.None,
            i % 2 == 0 ? TaskContinuationOptions.ExecuteSynchronously : TaskContinuationOptions.None,
            Pool.Scheduler))];
        source.SetResult();
        await Deadline.For(Task.WhenAll(continuations));
        ledger.AssertEachOnce();
        Trace.AssertOnThePool(Operations);
    }

    /// <summary>Each runs where the last one ended; the stack must hold all the same.</summary>
    [Fact]
    public async Task LongChainOfSynchronousContinuations_DoesNotExhaustTheStack()
    {
        const int Links = 20_000;
        var gate = new TaskCompletionSource<int>();
        Task<int> chain = gate.Task;
        for (int i = 0; i < Links; i++)
        {
            chain = chain.ContinueWith(
                static antecedent => antecedent.Result + 1,
                CancellationToken.None,
                TaskContinuationOptions.ExecuteSynchronously,
                Pool.Scheduler);
        }

        Task opened = Pool.Run(() => gate.SetResult(0));
        Assert.Equal(Links, await Deadline.For(chain));
        await Deadline.For(opened);
    }

    [Fact]
    public async Task WhenAllContinuations_SeeEveryAntecedent()
    {
        Task<int>[] antecedents = [.. Enumerable.Range(0, Operations).Select(i => Pool.Run(() => i))];
        Task<int> sum = Pool.Factory.ContinueWhenAll(antecedents, all =>
        {
            Trace.Note();
            return all.Sum(task => task.Result);
        });
        Assert.Equal(Operations * (Operations - 1) / 2, await Deadline.For(sum));
        Task failing = Pool.Run(() => throw new InvalidTimeZoneException());
        Task<TaskStatus> after = Pool.Factory.ContinueWhenAny([failing], first =>
        {
            Trace.Note();
            _ = first.Exception;
            return first.Status;
        });
        Assert.Equal(TaskStatus.Faulted, await Deadline.For(after));
        Trace.AssertOnThePool(2);
    }

    [Fact]
    public async Task CancelledContinuation_DoesNotRun()
    {
        using var cancellation = new CancellationTokenSource();
        var source = new TaskCompletionSource();
        Task continuation = source.Task.ContinueWith(
            _ => Trace.Note(), cancellation.Token, TaskContinuationOptions.None, Pool.Scheduler);
        await cancellation.CancelAsync();
        source.SetResult();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(continuation));
        Trace.AssertOnThePool(0);
    }

    private static void End(TaskCompletionSource source, TaskStatus status)
    {
        switch (status)
        {
            case TaskStatus.Faulted:
                source.SetException(new InvalidTimeZoneException());
                break;
            case TaskStatus.Canceled:
                source.SetCanceled();
                break;
            default:
                source.SetResult();
                break;
        }
    }
}
