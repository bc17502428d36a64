using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Contract;

/// <summary>Every overload runs its item once, with its state.</summary>
public abstract class OverloadContract<TPool> : PoolContract<TPool>
    where TPool : IPoolUnderTest, new()
{
    private readonly CountdownEvent _ran = new(1);
    private readonly Lock _lock = new();
    private readonly List<object?> _states = [];

    [Fact]
    public void ItemWithoutState_RunsOnceWithNull()
    {
        Assert.True(Pool.QueueUserWorkItem(Note));
        AssertRanOnceWith(null);
    }

    [Fact]
    public void ItemWithState_RunsOnceWithIt()
    {
        object state = new();
        Assert.True(Pool.QueueUserWorkItem(Note, state));
        AssertRanOnceWith(state);
    }

    [Fact]
    public void UnsafeItemWithState_RunsOnceWithIt()
    {
        object state = new();
        Assert.True(Pool.UnsafeQueueUserWorkItem(Note, state));
        AssertRanOnceWith(state);
    }

    [Fact]
    public void ItemWithNullState_RunsOnceWithNull()
    {
        Assert.True(Pool.QueueUserWorkItem(Note, null));
        AssertRanOnceWith(null);
    }

    [Theory, CombinatorialBooleans]
    public void ItemWithReferenceState_RunsOnceWithIt(bool isUnsafe, bool preferLocal)
    {
        string state = "state";
        Assert.True(Queue<string>(Note, state, isUnsafe, preferLocal));
        AssertRanOnceWith(state);
    }

    [Theory, CombinatorialBooleans]
    public void ItemWithNullReferenceState_RunsOnceWithNull(bool isUnsafe, bool preferLocal)
    {
        Assert.True(Queue<string?>(Note, null, isUnsafe, preferLocal));
        AssertRanOnceWith(null);
    }

    [Theory, CombinatorialBooleans]
    public void ItemWithValueState_RunsOnceWithIt(bool isUnsafe, bool preferLocal)
    {
        var state = (Number: 42, Text: "value", Guid.NewGuid());
        Assert.True(Queue(tuple => Note(tuple), state, isUnsafe, preferLocal));
        AssertRanOnceWith(state);
    }

    [Theory, CombinatorialBooleans]
    public void ItemWithNullableValueState_RunsOnceWithIt(bool isUnsafe, bool preferLocal)
    {
        Assert.True(Queue<int?>(number => Note(number), null, isUnsafe, preferLocal));
        AssertRanOnceWith(null);
    }

    [Theory, CombinatorialBooleans]
    public void ItemQueuedByAnItem_RunsOnceWithItsState(bool isUnsafe, bool preferLocal)
    {
        string state = "from a worker";
        Pool.QueueUserWorkItem(_ => Queue<string>(Note, state, isUnsafe, preferLocal));
        AssertRanOnceWith(state);
    }

    [Fact]
    public void MulticastCallback_RunsAllItsTargets()
    {
        _ran.AddCount();
        WaitCallback callback = Note;
        callback += Note;
        Pool.QueueUserWorkItem(callback, "both");
        Deadline.Wait(_ran);
        Assert.Equal(["both", "both"], _states);
    }

    [Fact]
    public void StaticCallback_ReceivesItsState()
    {
        // A static method has another delegate shape than an instance method or a lambda.
        Pool.QueueUserWorkItem(StaticNote, this, preferLocal: false);
        AssertRanOnceWith("static");
    }

    private static void StaticNote(OverloadContract<TPool> test) => test.Note("static");

    private bool Queue<TState>(Action<TState> callBack, TState state, bool isUnsafe, bool preferLocal) =>
        isUnsafe
            ? Pool.UnsafeQueueUserWorkItem(callBack, state, preferLocal)
            : Pool.QueueUserWorkItem(callBack, state, preferLocal);

    private void Note(object? state)
    {
        lock (_lock)
        {
            _states.Add(state);
        }

        _ran.Signal();
    }

    private void AssertRanOnceWith(object? state)
    {
        Deadline.Wait(_ran);
        Assert.Equal([state], _states);
    }
}

public sealed class NativePoolOverloads : OverloadContract<NativePoolUnderTest>;

public sealed class RuntimePoolOverloads : OverloadContract<RuntimePoolUnderTest>;

public sealed class SchedulerOverloads : OverloadContract<SchedulerUnderTest>;
