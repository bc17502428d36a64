using System.Globalization;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Contract;

/// <summary>The execution context flows to an item, or does not, exactly as with the built-in pool.</summary>
public abstract class ContextFlowContract<TPool> : PoolContract<TPool>
    where TPool : IPoolUnderTest, new()
{
    private readonly AsyncLocal<string?> _local = new();

    [Theory, CombinatorialBooleans]
    public void T34_SafeForms_FlowTheContext(bool fromWorker)
    {
        Assert.All(SeenByAllSafeForms(fromWorker, () => _local.Value = "caller"), seen => Assert.Equal("caller", seen));
    }

    [Theory, CombinatorialBooleans]
    public void T34_UnsafeForms_DoNotFlowTheContext(bool fromWorker)
    {
        Assert.All(SeenByAllUnsafeForms(fromWorker, () => _local.Value = "caller"), Assert.Null);
    }

    [Theory, CombinatorialBooleans]
    public void T34_SuppressedFlow_IsHonouredBySafeForms(bool fromWorker)
    {
        Assert.All(
            SeenByAllSafeForms(fromWorker, () =>
            {
                _local.Value = "caller";
                ExecutionContext.SuppressFlow();
            }),
            Assert.Null);
    }

    [Fact]
    public void T34_ContextIsThatOfTheQueueingMoment()
    {
        using var first = new Observation<string?>(() => _local.Value);
        using var second = new Observation<string?>(() => _local.Value);
        OnFreshThread(() =>
        {
            _local.Value = "first";
            Pool.QueueUserWorkItem(first.Observe);
            _local.Value = "second";
            Pool.QueueUserWorkItem(second.Observe);
            _local.Value = "later";
        });
        Assert.Equal(("first", "second"), (first.Result, second.Result));
    }

    [Theory, CombinatorialBooleans]
    public void T35_Culture_FlowsWithTheContext(bool flow)
    {
        var culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        culture.NumberFormat.NumberDecimalSeparator = "!";
        using var seen = new Observation<string>(() => CultureInfo.CurrentCulture.NumberFormat.NumberDecimalSeparator);
        OnFreshThread(() =>
        {
            CultureInfo.CurrentCulture = culture;
            if (flow)
            {
                Pool.QueueUserWorkItem(seen.Observe);
            }
            else
            {
                Pool.UnsafeQueueUserWorkItem(seen.Observe, null);
            }
        });
        Assert.Equal(flow, seen.Result == "!");
    }

    private List<string?> SeenByAllSafeForms(bool fromWorker, Action prepare) => Seen(fromWorker, prepare, note =>
    {
        Pool.QueueUserWorkItem(_ => note());
        Pool.QueueUserWorkItem(_ => note(), new object());
        Pool.QueueUserWorkItem(_ => note(), "reference", preferLocal: false);
        Pool.QueueUserWorkItem(_ => note(), "reference", preferLocal: true);
        Pool.QueueUserWorkItem(_ => note(), 5, preferLocal: false);
        Pool.QueueUserWorkItem(_ => note(), 6, preferLocal: true);
    });

    private List<string?> SeenByAllUnsafeForms(bool fromWorker, Action prepare) => Seen(fromWorker, prepare, note =>
    {
        Pool.UnsafeQueueUserWorkItem(_ => note(), null);
        Pool.UnsafeQueueUserWorkItem(_ => note(), "reference", preferLocal: false);
        Pool.UnsafeQueueUserWorkItem(_ => note(), "reference", preferLocal: true);
        Pool.UnsafeQueueUserWorkItem(_ => note(), 4, preferLocal: false);
        Pool.UnsafeQueueUserWorkItem(new Item(note), preferLocal: false);
        Pool.UnsafeQueueUserWorkItem(new Item(note), preferLocal: true);
    });

    private List<string?> Seen(bool fromWorker, Action prepare, Action<Action> queueSix)
    {
        var seen = new List<string?>();
        using var ran = new CountdownEvent(6);
        void Queue()
        {
            prepare();
            queueSix(() =>
            {
                lock (seen)
                {
                    seen.Add(_local.Value);
                }

                ran.Signal();
            });
        }

        if (fromWorker)
        {
            Pool.UnsafeQueueUserWorkItem(_ => Queue(), null);
        }
        else
        {
            OnFreshThread(Queue);
        }

        Deadline.Wait(ran);
        return seen;
    }

    private static void OnFreshThread(Action action) => StartGate.Run(1, _ => action());

    private sealed class Item(Action action) : IThreadPoolWorkItem
    {
        public void Execute() => action();
    }
}

public sealed class NativePoolContextFlow : ContextFlowContract<NativePoolUnderTest>;

public sealed class RuntimePoolContextFlow : ContextFlowContract<RuntimePoolUnderTest>;

public sealed class SchedulerContextFlow : ContextFlowContract<SchedulerUnderTest>;
