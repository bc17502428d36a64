using System.Collections.Concurrent;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Contract;

/// <summary>What an item did to its contexts is gone for the next one.</summary>
public abstract class ContextIsolationContract<TPool> : PoolContract<TPool>
    where TPool : IPoolUnderTest, new()
{
    private const int Items = 200;
    private readonly AsyncLocal<string?> _local = new();

    [Theory, CombinatorialBooleans]
    public void T34_ItemLeavesNoContextBehind(bool isUnsafe) =>
        AssertEachFinds(null, () => _local.Value, () => _local.Value = "previous item", isUnsafe);

    [Theory, CombinatorialBooleans]
    public void T34_SynchronizationContextOfAnItem_IsGoneForTheNext(bool isUnsafe) =>
        AssertEachFinds(
            null,
            () => SynchronizationContext.Current,
            () => SynchronizationContext.SetSynchronizationContext(new SynchronizationContext()),
            isUnsafe);

    [Theory, CombinatorialBooleans]
    public void T34_FlowSuppressedByAnItem_FlowsForTheNext(bool isUnsafe) =>
        AssertEachFinds(false, () => ExecutionContext.IsFlowSuppressed(), () => ExecutionContext.SuppressFlow(), isUnsafe);

    [Fact]
    public void T34_ContextThatFlowedToAnItem_IsNotSeenByTheNext()
    {
        using var ran = new CountdownEvent(Items);
        var seen = new ConcurrentQueue<string?>();
        StartGate.Run(1, _ =>
        {
            _local.Value = "caller";
            for (int i = 0; i < Items; i += 2)
            {
                Pool.QueueUserWorkItem(_ => ran.Signal());
                Pool.UnsafeQueueUserWorkItem(
                    _ =>
                    {
                        seen.Enqueue(_local.Value);
                        ran.Signal();
                    },
                    null);
            }
        });
        Deadline.Wait(ran);
        Assert.All(seen, Assert.Null);
    }

    [Fact]
    public void T34_WorkerDoesNotInheritTheContextItWasStartedIn()
    {
        using var seen = new Observation<string?>(() => _local.Value);
        StartGate.Run(1, _ =>
        {
            _local.Value = "creator";
            var pool = new TPool();
            pool.UnsafeQueueUserWorkItem(seen.Observe, null);
            Assert.Null(seen.Result);
            pool.Dispose();
        });
    }

    [Fact]
    public void T34_ChangeNotifications_ArriveBeforeAndAfterTheItem()
    {
        var changes = new ConcurrentQueue<string>();
        int itemThread = 0;
        var local = new AsyncLocal<string?>(change =>
        {
            if (change.ThreadContextChanged && Environment.CurrentManagedThreadId == Volatile.Read(ref itemThread))
            {
                changes.Enqueue($"{change.PreviousValue ?? "null"} to {change.CurrentValue ?? "null"}");
            }
        });

        // The first item tells which thread the second is likely to run on; repeated until it does.
        Deadline.Until(() =>
        {
            changes.Clear();
            using var thread = new Observation<int>(() => Environment.CurrentManagedThreadId);
            Pool.UnsafeQueueUserWorkItem(thread.Observe, null);
            Volatile.Write(ref itemThread, thread.Result);
            Pool.WaitUntilQuiet();

            using var ran = new Observation<int>(() =>
            {
                changes.Enqueue("item");
                return Environment.CurrentManagedThreadId;
            });
            StartGate.Run(1, _ =>
            {
                local.Value = "caller";
                Pool.QueueUserWorkItem(ran.Observe);
            });
            return ran.Result == itemThread;
        });
        Deadline.Until(() => changes.Count >= 3);
        Assert.Equal(["null to caller", "item", "caller to null"], changes);
    }

    private void AssertEachFinds<T>(T expected, Func<T> look, Action change, bool isUnsafe)
    {
        using var ran = new CountdownEvent(Items);
        var seen = new ConcurrentQueue<T>();
        WaitCallback item = _ =>
        {
            seen.Enqueue(look());
            change();
            ran.Signal();
        };
        for (int i = 0; i < Items; i++)
        {
            _ = isUnsafe ? Pool.UnsafeQueueUserWorkItem(item, null) : Pool.QueueUserWorkItem(item);
        }

        Deadline.Wait(ran);
        Assert.All(seen, value => Assert.Equal(expected, value));
    }
}

public sealed class NativePoolContextIsolation : ContextIsolationContract<NativePoolUnderTest>;

public sealed class RuntimePoolContextIsolation : ContextIsolationContract<RuntimePoolUnderTest>;

public sealed class SchedulerContextIsolation : ContextIsolationContract<SchedulerUnderTest>;
