using NativeThreading.Tests.EventLoops.Descriptors;
using NativeThreading.Tests.Support;
using static NativeThreading.EventLoopInterest;

namespace NativeThreading.Tests.EventLoops.HandOver;

/// <summary>A registration moves while its handler runs on a former driver: behind the handler's end.</summary>
public sealed class MovingHandOverTests : HandOverTest
{
    public MovingHandOverTests() => NeedsNativeCoreAttribute.SkipUnlessMet(NeedsNativeCoreAttribute.Descriptors);

    [Theory, CombinatorialBooleans]
    public async Task Moved_WhileItsHandlerBlocks_IsCalledThereWhenThatHasReturned(bool byItself)
    {
        using var other = new EventLoop();
        using Pair pair = Pair.OfSockets();
        var moved = new TaskCompletionSource<Task>(TaskCreationOptions.RunContinuationsAsynchronously);
        var toldThere = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        long readByFormer = 0;
        EventLoopRegistration? registration = null;
        registration = Loop.Register(
            pair.Here,
            Read,
            (_, _) =>
            {
                if (EventLoop.Current == other)
                {
                    toldThere.TrySetResult(Inside);
                    return;
                }

                BlockInCall();
                if (byItself)
                {
                    moved.TrySetResult(registration!.MoveToAsync(other)); // on a former driver
                }

                readByFormer = registration!.Read(new byte[1]).Count;
            },
            null);
        pair.There.Write(1, 2);
        AwaitCall();
        if (!byItself)
        {
            moved.SetResult(registration.MoveToAsync(other));
            OnLoop(static () => { });
            Deadline.Wait(other.InvokeAsync(static () => { }));
            Assert.False((await moved.Task).IsCompleted || toldThere.Task.IsCompleted);
        }

        LetGo();
        await Deadline.For(await Deadline.For(moved.Task));
        Assert.Equal(0, await Deadline.For(toldThere.Task));
        Assert.Equal((1, 1, 0), (readByFormer, Calls, Overlaps));
        await Deadline.For(registration.DisposeAsync().AsTask());
    }

    [Fact]
    public async Task DisposedBesideAMoveThatWaitsForItsHandler_EndsBehindThat()
    {
        using var other = new EventLoop();
        using Pair pair = Pair.OfSockets();
        EventLoopRegistration registration = Loop.Register(pair.Here, Read, (_, _) => BlockInCall(), null);
        pair.There.Write(1);
        AwaitCall();
        Task moved = registration.MoveToAsync(other);
        Task disposed = registration.DisposeAsync().AsTask();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Deadline.For(moved));
        pair.Here.Dispose();
        Assert.False(disposed.IsCompleted || pair.Here.IsReleased);
        LetGo();
        await Deadline.For(disposed);
        Assert.True(pair.Here.IsReleased);
    }

    [Fact]
    public void ToALoopThatIsTakenOver_Arrives()
    {
        using var other = new EventLoop();
        using Pair pair = Pair.OfSockets();
        var told = new Told();
        EventLoopRegistration registration = other.Register(pair.Here, Read | EdgeTriggered, told.Handle, null);
        Task ended = BlockTheLoop();
        Deadline.Wait(registration.MoveToAsync(Loop));
        pair.There.Write(1);
        Assert.Equal(EventLoopReadiness.Read, told.Next());
        LetGo();
        Deadline.Wait(ended);
        OnLoop(registration.Dispose);
    }
}
