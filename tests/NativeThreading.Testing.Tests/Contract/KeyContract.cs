using NativeThreading.Tests.Support;

namespace NativeThreading.Testing.Tests.Contract;

/// <summary>Keys next to each other, async functions, and what flows, on every scheduler.</summary>
/// <typeparam name="TScheduler">The implementation.</typeparam>
public abstract class KeyContract<TScheduler> : SchedulerContract<TScheduler>
    where TScheduler : SchedulerUnderTest, ICreatable<TScheduler>
{
    [Fact]
    public void AsyncFunction_KeepsTheTurnOfItsKey_AndOfNoOther()
    {
        using SchedulerUnderTest under = Create();
        var queue = new KeyedQueue<string>(under.Scheduler);
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task first = queue.Run(
            "a",
            async () =>
            {
                Note("a starts");
                await gate.Task;
                Note(under.IsCurrent ? "a completes" : "elsewhere");
            },
            CancellationToken.None);
        under.Settle();
        Task second = queue.Run("a", () => Note("a again"), CancellationToken.None);
        Task other = queue.Run("b", () => Note("b"), CancellationToken.None);
        under.Settle();
        Assert.Equal(["a starts", "b"], Log);
        Assert.Equal(1, queue.KeyCount);
        gate.SetResult();
        Deadline.Until(() =>
        {
            under.Settle();
            return second.IsCompleted;
        });
        Deadline.Wait(Task.WhenAll(first, second, other));
        Assert.Equal(["a starts", "b", "a completes", "a again"], Log);
        Deadline.Until(() => queue.KeyCount == 0);
    }

    /// <summary>The call waits for an item of "a", which waits for one of "b", which makes the call.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void CallThatWouldWaitForItselfThroughAnotherKey_Throws(bool awaitsBefore)
    {
        using SchedulerUnderTest under = Create();
        var queue = new KeyedQueue<string>(under.Scheduler);
        Task run = queue.Run("a", () => queue.Run("b", CallBack, CancellationToken.None), CancellationToken.None);
        Deadline.Until(() =>
        {
            under.Settle();
            return run.IsCompleted;
        });
        Assert.Contains("key 'a'", Assert.Throws<InvalidOperationException>(() => Deadline.Wait(run)).Message, StringComparison.Ordinal);
        Deadline.Until(() => queue.KeyCount == 0);

        async Task CallBack()
        {
            if (awaitsBefore)
            {
                await Task.Yield();
            }

            await queue.Run("a", static () => { }, CancellationToken.None);
        }
    }

    /// <summary>It would wait for nothing: the item that has started it is not there any more.</summary>
    [Fact]
    public void CodeThatAnItemHasLeftBehind_MayCallForItsKey()
    {
        using SchedulerUnderTest under = Create();
        var queue = new KeyedQueue<string>(under.Scheduler);
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task? left = null;
        Task run = queue.Run(
            "a",
            () =>
            {
                left = Later();
                return Task.CompletedTask;
            },
            CancellationToken.None);
        under.Settle();
        Deadline.Wait(run);
        gate.SetResult();
        Deadline.Until(() =>
        {
            under.Settle();
            return left!.IsCompleted;
        });
        Deadline.Wait(left!);
        Assert.Equal(["later"], Log);

        async Task Later()
        {
            await gate.Task;
            await queue.Run("a", () => Note("later"), CancellationToken.None);
        }
    }

    /// <summary>Such code would hold up the items that follow, and would be taken for a part of the item.</summary>
    [Fact]
    public void CodeThatAwaitsWhatAnItemCompletes_DoesNotResumeInsideIt()
    {
        using SchedulerUnderTest under = Create();
        var queue = new KeyedQueue<string>(under.Scheduler);
        var signal = new TaskCompletionSource();
        Task waiter = under.Scheduler.Run(
            async () =>
            {
                await signal.Task;
                Note("resumed");
                await queue.Run("a", () => Note("called"), CancellationToken.None);
            },
            CancellationToken.None);
        under.Settle();
        queue.Queue(
            "a",
            signal =>
            {
                signal.SetResult();
                Note("item");
            },
            signal);
        Deadline.Until(() =>
        {
            under.Settle();
            return waiter.IsCompleted;
        });
        Deadline.Wait(waiter);
        Assert.Equal(["item", "resumed", "called"], Log);
    }

    [Fact]
    public void ExecutionContext_FlowsToTheItem_AndNotToTheNext()
    {
        using SchedulerUnderTest under = Create();
        var queue = new KeyedQueue<string>(under.Scheduler);
        var local = new AsyncLocal<string?>();
        using (under.HoldBack())
        {
            local.Value = "flowed";
            queue.Queue(
                "a",
                note =>
                {
                    note(local.Value ?? "nothing");
                    local.Value = "left behind";
                    SynchronizationContext.SetSynchronizationContext(null);
                },
                Note);
            local.Value = null;
            queue.Queue("a", note => note(local.Value ?? "nothing"), Note);
            queue.Queue("a", note => note(SynchronizationContext.Current is null ? "no context" : "context"), Note);
        }

        under.Settle();
        under.RunInside(() => Note(local.Value ?? "nothing"));
        Assert.Equal(["flowed", "nothing", "context", "nothing"], Log);
    }

    [Fact]
    public void WeightOfAKey_IsAskedForWheneverTheKeyBecomesActive()
    {
        using SchedulerUnderTest under = Create();
        var asked = new List<string>();
        var queue = new KeyedQueue<string>(
            under.Scheduler,
            weightOf: key =>
            {
                asked.Add(key);
                return key == "bad" ? 0 : key == "throws" ? throw new FormatException() : 2;
            },
            comparer: StringComparer.OrdinalIgnoreCase);
        using (under.HoldBack())
        {
            queue.Queue("a", static note => note("1"), Note);
            queue.Queue("A", static note => note("2"), Note);
            var exception = Assert.Throws<ArgumentOutOfRangeException>(() => queue.Queue("bad", static note => note("bad"), Note));
            Assert.StartsWith("weightOf must be between 1 and 1000, but was 0.", exception.Message, StringComparison.Ordinal);
            Assert.Throws<FormatException>(() => queue.TryQueue("throws", static note => note("bad"), Note));
        }

        under.Settle();
        queue.Queue("A", static note => note("3"), Note);
        under.Settle();
        Assert.Equal(["1", "2", "3"], Log);
        Assert.Equal(["a", "bad", "throws", "A"], asked);
        Assert.Equal(0, queue.KeyCount);
    }

    [Fact]
    public void BadArguments_AreNamed()
    {
        using SchedulerUnderTest under = Create();
        IWorkScheduler scheduler = under.Scheduler;
        Assert.Throws<ArgumentNullException>("scheduler", () => new KeyedQueue<string>(null!));
        Assert.Throws<ArgumentNullException>("scheduler", () => new Sequencer(null!));
        Assert.Throws<ArgumentOutOfRangeException>("maxConcurrencyPerKey", () => new KeyedQueue<string>(scheduler, maxConcurrencyPerKey: 0));
        Assert.Throws<ArgumentOutOfRangeException>("limitPerKey", () => new KeyedQueue<string>(scheduler, limitPerKey: 0));
        Assert.Throws<ArgumentOutOfRangeException>("limit", () => new Sequencer(scheduler, limit: 0));
        var queue = new KeyedQueue<string>(scheduler);
        var sequencer = new Sequencer(scheduler);
        Assert.Throws<ArgumentNullException>("key", () => queue.Queue(null!, static _ => { }, 0));
        Assert.Throws<ArgumentNullException>("callback", () => queue.Queue<int>("a", null!, 0));
        Assert.Throws<ArgumentNullException>("callback", () => queue.TryQueue<int>("a", null!, 0));
        Assert.Throws<ArgumentNullException>("callback", () => sequencer.Queue<int>(null!, 0));
        Assert.Throws<ArgumentNullException>("callback", () => sequencer.TryQueue<int>(null!, 0));
        Assert.Throws<ArgumentNullException>("key", () => Discard(queue.Run(null!, static () => { }, CancellationToken.None)));
        Assert.Throws<ArgumentNullException>("action", () => Discard(queue.Run("a", (Action)null!, CancellationToken.None)));
        Assert.Throws<ArgumentNullException>("function", () => Discard(queue.RunAsync("a", (Func<Task>)null!, CancellationToken.None)));
        Assert.Throws<ArgumentNullException>("action", () => Discard(sequencer.RunAsync((Action)null!, CancellationToken.None)));
        Assert.Throws<ArgumentNullException>("function", () => Discard(sequencer.Run((Func<int>)null!, CancellationToken.None)));

        static void Discard(Task task) => _ = task;
    }
}

public sealed class ManualKeyTests : KeyContract<ManualSchedulerUnderTest>;

public sealed class NativeKeyTests : KeyContract<NativeSchedulerUnderTest>;
