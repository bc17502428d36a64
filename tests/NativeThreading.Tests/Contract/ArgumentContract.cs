namespace NativeThreading.Tests.Contract;

/// <summary>What cannot be queued is refused at once, by the runtime's exceptions.</summary>
public abstract class ArgumentContract<TPool> : PoolContract<TPool>
    where TPool : IPoolUnderTest, new()
{
    private const string Name = "callBack";

    [Fact]
    public void NullCallback_IsRefusedByEveryOverload()
    {
        Assert.Throws<ArgumentNullException>(Name, () => Pool.QueueUserWorkItem(null!));
        Assert.Throws<ArgumentNullException>(Name, () => Pool.QueueUserWorkItem(null!, new object()));
        Assert.Throws<ArgumentNullException>(Name, () => Pool.UnsafeQueueUserWorkItem(null!, new object()));
        foreach (bool preferLocal in (ReadOnlySpan<bool>)[false, true])
        {
            Assert.Throws<ArgumentNullException>(Name, () => Pool.QueueUserWorkItem<object?>(null!, null, preferLocal));
            Assert.Throws<ArgumentNullException>(Name, () => Pool.QueueUserWorkItem(null!, 1, preferLocal));
            Assert.Throws<ArgumentNullException>(Name, () => Pool.UnsafeQueueUserWorkItem<object?>(null!, null, preferLocal));
            Assert.Throws<ArgumentNullException>(Name, () => Pool.UnsafeQueueUserWorkItem(null!, 1, preferLocal));
            Assert.Throws<ArgumentNullException>(Name, () => Pool.UnsafeQueueUserWorkItem(null!, preferLocal));
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void TaskAsWorkItem_IsRefused(bool preferLocal)
    {
        var task = new TaskAndWorkItem();
        Assert.Throws<ArgumentOutOfRangeException>(Name, () => Pool.UnsafeQueueUserWorkItem(task, preferLocal));
        Assert.False(task.Executed);
    }

    private sealed class TaskAndWorkItem() : Task(static () => { }), IThreadPoolWorkItem
    {
        public bool Executed { get; private set; }

        public void Execute() => Executed = true;
    }
}

public sealed class NativePoolArguments : ArgumentContract<NativePoolUnderTest>;

public sealed class RuntimePoolArguments : ArgumentContract<RuntimePoolUnderTest>;

public sealed class SchedulerArguments : ArgumentContract<SchedulerUnderTest>;
