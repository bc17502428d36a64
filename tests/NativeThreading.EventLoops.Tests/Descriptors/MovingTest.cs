using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>A second loop for a registration to move to, and a pair to register.</summary>
public abstract class MovingTest : DescriptorTest
{
    protected MovingTest() => Other = new EventLoop(new EventLoopOptions { Name = "other" }); // behind the base's look whether it runs

    private protected EventLoop Other { get; }

    private protected Pair Pair { get; } = Pair.OfSockets();

    protected override void Release()
    {
        Deadline.Wait(Other.ShutdownAsync(CancellationToken.None));
        Pair.Dispose();
    }

    protected T OnOther<T>(Func<T> function) => Deadline.Result(Other.InvokeAsync(function), "the function on the other loop");

    protected void OnOther(Action action) => Deadline.Wait(Other.InvokeAsync(action), "the action on the other loop");

    /// <summary>Begins a move while the other loop is occupied. Calls back when the registration has left the one and not reached the other.</summary>
    protected Task Occupied(Func<Task> move, Action onItsWay)
    {
        using var occupied = new OccupiedLoop(Other);
        Task moved = move();
        OnLoop(static () => { }); // behind the leaving
        onItsWay();
        Assert.False(moved.IsCompleted);
        return moved;
    }
}
