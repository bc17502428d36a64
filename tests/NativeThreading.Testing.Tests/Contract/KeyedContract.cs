using NativeThreading.Tests.Support;

namespace NativeThreading.Testing.Tests.Contract;

/// <summary>What every call of a keyed queue and of a sequencer promises, on every scheduler.</summary>
/// <typeparam name="TScheduler">The implementation.</typeparam>
public abstract class KeyedContract<TScheduler> : SchedulerContract<TScheduler>
    where TScheduler : SchedulerUnderTest, ICreatable<TScheduler>
{
    [Theory, MemberData(nameof(KeyedCalls.Names), MemberType = typeof(KeyedCalls))]
    public void Items_RunOnTheSchedulerInTheOrderOfTheCalls(string call)
    {
        using SchedulerUnderTest under = Create();
        var keyed = new KeyedCalls(under.Scheduler);
        var tasks = new List<Task>();
        using (under.HoldBack())
        {
            for (int i = 0; i < 100; i++)
            {
                string name = $"{i}";
                tasks.Add(keyed.Call(call, () => Note(under.IsCurrent ? name : "elsewhere")));
            }

            Assert.Equal(call.StartsWith("Keyed", StringComparison.Ordinal) ? 1 : 0, keyed.Queue.KeyCount);
        }

        under.Settle();
        Deadline.Wait(Task.WhenAll(tasks));
        Assert.Equal(Enumerable.Range(0, 100).Select(static i => $"{i}"), Log);
        Assert.Equal((0, 0L), (keyed.Queue.KeyCount, under.PendingCount));
    }

    [Theory, MemberData(nameof(KeyedCalls.Names), MemberType = typeof(KeyedCalls))]
    public void ItemThatThrows_FailsItsTask_AndTheNextItemRuns(string call)
    {
        using SchedulerUnderTest under = Create();
        var keyed = new KeyedCalls(under.Scheduler);
        using var other = new CancellationTokenSource();
        other.Cancel();
        Task failed, cancelled, next;
        using (under.HoldBack())
        {
            failed = keyed.Call(call, static () => throw new FormatException());
            cancelled = keyed.Call(call, () => throw new OperationCanceledException(other.Token));
            next = keyed.Call(call, () => Note("next"));
        }

        under.Settle();
        Assert.Throws<FormatException>(() => Deadline.Wait(failed));
        Assert.Equal(other.Token, Assert.ThrowsAny<OperationCanceledException>(() => Deadline.Wait(cancelled)).CancellationToken);
        Assert.Equal(call.Contains("async", StringComparison.Ordinal) ? TaskStatus.Canceled : TaskStatus.Faulted, cancelled.Status);
        Deadline.Wait(next);
        Assert.Equal(["next"], Log);
    }

    [Theory, MemberData(nameof(KeyedCalls.Names), MemberType = typeof(KeyedCalls))]
    public void TokenCancelsACallThatHasNotStarted_AtOnce_AndItsPlaceIsFree(string call)
    {
        using SchedulerUnderTest under = Create();
        var keyed = new KeyedCalls(under.Scheduler, limit: 1);
        using var source = new CancellationTokenSource();
        using (under.HoldBack())
        {
            Task waiting = keyed.CallWith(call, () => Note("cancelled"), source.Token);
            Assert.False(waiting.IsCompleted);
            source.Cancel();
            Assert.Equal(TaskStatus.Canceled, waiting.Status);
            Assert.True(keyed.CallWith(call, () => Note("cancelled"), source.Token).IsCanceled);
            _ = keyed.Call(call, () => Note("next"));
        }

        under.Settle();
        Assert.True(keyed.CallWith(call, () => Note("cancelled"), source.Token).IsCanceled);
        under.Settle();
        Assert.Equal(["next"], Log);
        Assert.Equal(0, keyed.Queue.KeyCount);
    }

    [Theory, MemberData(nameof(KeyedCalls.Names), MemberType = typeof(KeyedCalls))]
    public void LimitOfTheKey_RejectsTheCall_AndOnlyTheCall(string call)
    {
        using SchedulerUnderTest under = Create();
        var keyed = new KeyedCalls(under.Scheduler, limit: 2);
        using (under.HoldBack())
        {
            keyed.Post(call, () => Note("1"));
            _ = keyed.Call(call, () => Note("2"));
            AssertRejected<QueueFullException>(call, () => keyed.Call(call, () => Note("3")));
            Assert.Throws<QueueFullException>(() => keyed.Post(call, () => Note("4")));
            Assert.Equal(
                !call.StartsWith("Keyed", StringComparison.Ordinal),
                keyed.Queue.TryQueue("a", static note => note("a"), Note) && keyed.Queue.TryQueue("a", static note => note("a"), Note));
            Assert.True(keyed.Queue.TryQueue("b", static note => note("b"), Note));
        }

        under.Settle();
        Assert.Equal(["1", "2"], Log.Where(static text => text.Length == 1 && char.IsDigit(text[0])));
        Assert.Contains("b", Log);
        keyed.Post(call, () => Note("5"));
        under.Settle();
        Assert.Equal("5", Log[^1]);
    }

    [Theory, MemberData(nameof(KeyedCalls.Names), MemberType = typeof(KeyedCalls))]
    public void CallOfAnItemForItsOwnKey_Throws(string call)
    {
        using SchedulerUnderTest under = Create();
        var keyed = new KeyedCalls(under.Scheduler);
        Exception? thrown = null;
        Task outer = keyed.Call(call, () =>
        {
            thrown = Record.Exception(() =>
            {
                _ = keyed.Call(call, () => Note("inner"));
            });
            keyed.Post(call, () => Note("queued"));
        });
        under.Settle();
        Deadline.Wait(outer);
        under.Settle();
        Assert.Contains("its own key", Assert.IsType<InvalidOperationException>(thrown).Message, StringComparison.Ordinal);
        Assert.Equal(["queued"], Log);
    }

    [Theory, MemberData(nameof(KeyedCalls.Names), MemberType = typeof(KeyedCalls))]
    public void FullQueueOfThePool_RejectsTheCallThatNeedsATurn(string call)
    {
        using SchedulerUnderTest under = Create(limit: 1);
        var keyed = new KeyedCalls(under.Scheduler);
        using (under.HoldBack())
        {
            under.Scheduler.QueueUserWorkItem(_ => { });
            AssertRejected<QueueFullException>(call, () => keyed.Call(call, () => Note("rejected")));
            Assert.Throws<QueueFullException>(() => keyed.Post(call, () => Note("rejected")));
            Assert.Equal(0, keyed.Queue.KeyCount);
        }

        under.Settle();
        using (under.HoldBack())
        {
            _ = keyed.Call(call, () => Note("1"));
            _ = keyed.Call(call, () => Note("2")); // it joins a turn that has its permit
        }

        under.Settle();
        Assert.Equal(["1", "2"], Log);
        Assert.Equal(0, keyed.Queue.KeyCount);
    }

    [Theory, MemberData(nameof(KeyedCalls.Names), MemberType = typeof(KeyedCalls))]
    public void FullQueueThatRunsOnTheCaller_RunsTheTurnThere(string call)
    {
        using SchedulerUnderTest under = Create(limit: 1, QueueFullMode.RunOnCaller);
        var keyed = new KeyedCalls(under.Scheduler);
        using (under.HoldBack())
        {
            under.Scheduler.QueueUserWorkItem(_ => { });
            Task task = keyed.Call(call, () => Note("here"));
            Assert.Equal(["here"], Log);
            Deadline.Wait(task);
        }

        under.Settle();
        Assert.Equal(0, keyed.Queue.KeyCount);
    }

    [Theory, MemberData(nameof(KeyedCalls.Names), MemberType = typeof(KeyedCalls))]
    public void FullQueueThatWaits_LetsAsynchronousCallsWaitWithoutAThread(string call)
    {
        if (!call.Contains("RunAsync", StringComparison.Ordinal))
        {
            return; // a call of Run blocks its thread, and a ManualThreadPool rejects it
        }

        using SchedulerUnderTest under = Create(limit: 1, QueueFullMode.Wait);
        var keyed = new KeyedCalls(under.Scheduler);
        Task first, second;
        using (under.HoldBack())
        {
            under.Scheduler.QueueUserWorkItem(_ => Note("0"));
            first = keyed.Call(call, () => Note("1"));
            second = keyed.Call(call, () => Note("2"));
            Assert.False(first.IsCompleted || second.IsCompleted);
        }

        Deadline.Until(() =>
        {
            under.Settle();
            return first.IsCompleted && second.IsCompleted;
        });
        Assert.Equal(["0", "1", "2"], Log);
        Deadline.Until(() => keyed.Queue.KeyCount == 0);
    }

    [Theory, MemberData(nameof(KeyedCalls.Names), MemberType = typeof(KeyedCalls))]
    public void Drain_RunsAcceptedItems_AndRejectsNewCalls(string call)
    {
        using SchedulerUnderTest under = Create();
        var keyed = new KeyedCalls(under.Scheduler);
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task awaiting = keyed.Await(call, async () => await gate.Task);
        under.Settle();
        Task waiting = keyed.Call(call, () => keyed.Post(call, () => Note(under.IsCurrent ? "from inside" : "elsewhere")));
        keyed.Post(call, () => Note(under.IsCurrent ? "queued" : "elsewhere"));
        Task<long> stopped = under.ShutdownAsync(CancellationToken.None);
        Assert.False(stopped.IsCompleted);
        var other = new KeyedCalls(under.Scheduler);
        AssertRejected<ObjectDisposedException>(call, () => other.Call(call, () => Note("rejected")));
        Assert.Throws<ObjectDisposedException>(() => other.Post(call, () => Note("rejected")));
        Assert.Equal(0, other.Queue.KeyCount);
        gate.SetResult();
        Deadline.Until(() =>
        {
            under.Settle();
            return stopped.IsCompleted;
        });
        Deadline.Wait(Task.WhenAll(awaiting, waiting));
        Assert.Equal(["queued", "from inside"], Log);
    }

    [Theory, MemberData(nameof(KeyedCalls.Names), MemberType = typeof(KeyedCalls))]
    public void StopByToken_CancelsWaitingCalls_AndDropsWaitingCallbacks(string call)
    {
        foreach (int? limit in new int?[] { null, 100 })
        {
            using SchedulerUnderTest under = Create(limit);
            var keyed = new KeyedCalls(under.Scheduler);
            using var source = new CancellationTokenSource();
            Task[] waiting;
            using (under.HoldBack())
            {
                waiting = [keyed.Call(call, () => Note("ran")), keyed.Call(call, () => Note("ran"))];
                keyed.Post(call, () => Note("ran"));
                Task<long> stopped = under.ShutdownAsync(source.Token);
                source.Cancel();
                Deadline.Wait(stopped);
                Assert.All(waiting, static task => Assert.ThrowsAny<OperationCanceledException>(() => Deadline.Wait(task)));
                Assert.All(waiting, static task => Assert.Equal(TaskStatus.Canceled, task.Status));
            }

            Deadline.Until(() => keyed.Queue.KeyCount == 0);
        }

        Assert.Empty(Log);
    }

    /// <summary>The items that wait for an async function when the pool stops come after it.</summary>
    [Theory, MemberData(nameof(KeyedCalls.Names), MemberType = typeof(KeyedCalls))]
    public void StopByToken_CancelsItemsThatWaitForAnAsyncFunction(string call)
    {
        using SchedulerUnderTest under = Create();
        var keyed = new KeyedCalls(under.Scheduler);
        using var source = new CancellationTokenSource();
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task awaiting = keyed.Await(call, async () => await gate.Task);
        under.Settle();
        Task waiting = keyed.Call(call, () => Note("ran"));
        Task<long> stopped = under.ShutdownAsync(source.Token);
        source.Cancel();
        Deadline.Wait(stopped);
        gate.SetResult();
        Deadline.Wait(awaiting);
        Assert.ThrowsAny<OperationCanceledException>(() => Deadline.Wait(waiting));
        Assert.Empty(Log);
        Deadline.Until(() => keyed.Queue.KeyCount == 0);
    }

    private static void AssertRejected<TException>(string call, Func<Task> run)
        where TException : Exception
    {
        if (call.Contains("RunAsync", StringComparison.Ordinal))
        {
            Assert.IsType<TException>(run().Exception!.InnerException);
        }
        else
        {
            Assert.Throws<TException>(() =>
            {
                _ = run();
            });
        }
    }
}

public sealed class ManualKeyedTests : KeyedContract<ManualSchedulerUnderTest>;

public sealed class NativeKeyedTests : KeyedContract<NativeSchedulerUnderTest>;
