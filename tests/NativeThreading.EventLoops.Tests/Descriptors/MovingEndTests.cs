using NativeThreading.Tests.Support;
using static NativeThreading.EventLoopInterest;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Moves that fail, and ends in the middle of one: the task says so, and the registration has ended.</summary>
public sealed class MovingEndTests : MovingTest
{
    private static readonly CancellationToken s_cancelled = new(canceled: true);

    private readonly EventLoopRegistration _registration;
    private readonly Told _told = new();

    public MovingEndTests() => _registration = Watch(Pair.Here, Read, _told);

    [Fact]
    public void NewLoopHasStopped_EndsTheRegistration()
    {
        Deadline.Wait(Other.ShutdownAsync(CancellationToken.None));
        AssertFails<ObjectDisposedException>(_registration.MoveToAsync(Other), Other.ToString());
    }

    [Theory, CombinatorialBooleans]
    public void NewLoopStopsMeanwhile_EndsTheRegistration(bool byToken)
    {
        Task<long>? stopped = null;
        Task moved = Occupied(
            () => _registration.MoveToAsync(Other), () => stopped = Other.ShutdownAsync(byToken ? s_cancelled : CancellationToken.None));
        Deadline.Wait(stopped!);
        if (byToken)
        {
            AssertFails<ObjectDisposedException>(moved, Other.ToString());
        }
        else
        {
            Deadline.Wait(moved); // it drains, and comes to what was posted; then it ends what it watches
            AssertEnded();
        }
    }

    [Fact]
    public void OldLoopStopsBefore_EndsTheRegistration()
    {
        Task moved;
        using (new OccupiedLoop(Loop))
        {
            moved = _registration.MoveToAsync(Other);
            _ = Loop.ShutdownAsync(s_cancelled);
        }

        AssertFails<ObjectDisposedException>(moved, nameof(EventLoopRegistration));
    }

    [Fact]
    public void OldLoopStopsBehindIt_ChangesNothing()
    {
        Deadline.Wait(Occupied(() => _registration.MoveToAsync(Other), () => Deadline.Wait(Loop.ShutdownAsync(s_cancelled))));
        Pair.There.Write(1);
        Assert.Equal(EventLoopReadiness.Read, _told.Next());
        Deadline.Wait(_registration.DisposeAsync().AsTask());
    }

    [Fact]
    public void DisposedOnItsWay_EndsTheRegistration()
    {
        Task? disposed = null;
        Task moved = Occupied(() => _registration.MoveToAsync(Other), () =>
        {
            disposed = _registration.DisposeAsync().AsTask();
            OnLoop(_registration.Dispose);
            Assert.False(disposed.IsCompleted);
        });
        AssertFails<ObjectDisposedException>(moved, nameof(EventLoopRegistration));
        Deadline.Wait(disposed!);
    }

    [Theory, CombinatorialBooleans]
    public void DisposedBeforeItHasLeft_EndsTheRegistration(bool movesFirst)
    {
        Task moved;
        using (new OccupiedLoop(Loop))
        {
            moved = movesFirst ? _registration.MoveToAsync(Other) : Task.CompletedTask;
            _registration.Dispose();
            if (!movesFirst)
            {
                Assert.Throws<ObjectDisposedException>(() => { _ = _registration.MoveToAsync(Other); });
            }
        }

        if (movesFirst)
        {
            AssertFails<ObjectDisposedException>(moved, nameof(EventLoopRegistration));
        }
        else
        {
            AssertEnded();
        }
    }

    [Fact]
    public void DisposedByItsHandlerBehindTheMove_EndsTheRegistration()
    {
        var moved = new TaskCompletionSource<Task>(TaskCreationOptions.RunContinuationsAsynchronously);
        _told.Then = _ =>
        {
            moved.TrySetResult(_registration.MoveToAsync(Other));
            Assert.True(_registration.DisposeAsync().AsTask().IsCompleted);
        };
        Pair.There.Write(1);
        AssertFails<ObjectDisposedException>(Deadline.Result(moved.Task), nameof(EventLoopRegistration));
        Assert.Equal(1, _told.Count);
    }

    [Fact]
    public void RegisteredThereAlready_EndsThisRegistrationAlone()
    {
        var told = new Told();
        using EventLoopRegistration there = Other.Register(Pair.Here, Read | EdgeTriggered, told.Handle, null);
        Task moved = _registration.MoveToAsync(Other);
        Assert.Contains(Other.ToString(), Assert.Throws<InvalidOperationException>(() => Deadline.Wait(moved)).Message, StringComparison.Ordinal);
        Deadline.Wait(_registration.DisposeAsync().AsTask());
        Pair.There.Write(1);
        Assert.Equal(EventLoopReadiness.Read, told.Next());
        Assert.Equal(0, _told.Count);
        OnOther(there.Dispose);
    }

    [Fact]
    public void ClosedBeneathItsHandle_EndsTheRegistration()
    {
        Pair.Here.CloseBehindItsBack();
        Assert.Throws<InvalidOperationException>(() => Deadline.Wait(_registration.MoveToAsync(Other)));
        Deadline.Wait(_registration.DisposeAsync().AsTask());
    }

    private void AssertFails<TException>(Task moved, string what)
        where TException : ObjectDisposedException
    {
        Assert.Contains(what, Assert.Throws<TException>(() => Deadline.Wait(moved)).ObjectName, StringComparison.Ordinal);
        AssertEnded();
    }

    private void AssertEnded()
    {
        Deadline.Wait(_registration.DisposeAsync().AsTask());
        Assert.Throws<ObjectDisposedException>(() => _registration.Write([1]));
        Pair.Here.Dispose();
        Deadline.Until(() => Pair.Here.IsReleased);
    }
}
