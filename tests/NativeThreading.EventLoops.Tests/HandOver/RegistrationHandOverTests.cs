using NativeThreading.Tests.EventLoops.Descriptors;
using NativeThreading.Tests.Support;
using static NativeThreading.EventLoops.EventLoopInterest;

namespace NativeThreading.Tests.EventLoops.HandOver;

/// <summary>A handler that has not returned is not called again; when it returns, the loop calls it for the missed events.</summary>
public sealed class RegistrationHandOverTests : HandOverTest
{
    public RegistrationHandOverTests() => NeedsNativeCoreAttribute.SkipUnlessMet(NeedsNativeCoreAttribute.Descriptors);

    [Theory]
    [InlineData(Read)]
    [InlineData(Read | EdgeTriggered)]
    public void Handler_IsNotReentered_AndIsToldWhatItMissed(EventLoopInterest interest)
    {
        using Pair pair = Pair.OfSockets();
        using EventLoopRegistration registration = Blocking(pair, interest, read: true);
        pair.There.Write(1);
        AwaitCall();
        pair.There.Write(2);
        AwaitLook();
        AwaitLook();
        Assert.Equal(1, Calls);

        LetGo();
        Deadline.Until(() => Calls >= 2);
        Assert.Equal(0, Overlaps);
        OnLoop(registration.Dispose);
    }

    [Fact]
    public void LevelTriggered_DoesNotKeepTheLoopAwakeWhileItsHandlerBlocks()
    {
        using Pair pair = Pair.OfSockets();
        using EventLoopRegistration registration = Blocking(pair, Read, read: true);
        pair.There.Write(1, 2);
        AwaitCall();
        AwaitLook();
        long waits = OnLoop(() => Loop.Stats.Waits);
        for (int i = 0; i < 50; i++)
        {
            AwaitLook();
        }

        // A look of the monitor costs a few waits, and some dozens where the loop lingers for what it expects; a loop that gets events at
        // each poll makes tens of thousands.
        Assert.InRange(OnLoop(() => Loop.Stats.Waits) - waits, 0, 10_000);
        LetGo();
        Deadline.Until(() => Calls >= 2);
        OnLoop(registration.Dispose);
    }

    [Fact]
    public void WithoutInterest_TheHangUpThatCameDuringACall_IsToldOnceAfterIt()
    {
        using Pair pair = Pair.OfSockets();
        EventLoopRegistration? registration = null;
        registration = OnLoop(() => Loop.Register(
            pair.Here,
            Read,
            (_, _) => BlockInCall(call =>
            {
                if (call == 1)
                {
                    registration!.Interest = None;
                }
            }),
            null));
        pair.There.Write(1);
        AwaitCall();
        pair.There.Dispose();
        AwaitLook();
        AwaitLook();
        Assert.Equal(1, Calls);

        LetGo();
        Deadline.Until(() => Calls >= 2);
        AwaitLook();
        AwaitLook();
        Assert.Equal((2, 0), (Calls, Overlaps));
        OnLoop(registration.Dispose);
    }

    [Fact]
    public async Task FormerDriver_ReadsItsOwnRegistrationAlone_AndWritesToAll()
    {
        using Pair pair = Pair.OfSockets();
        using Pair otherPair = Pair.OfSockets();
        using EventLoopRegistration other = Loop.Register(otherPair.Here, 0, static (_, _) => { }, null);
        var result = new TaskCompletionSource<(long Read, long Written)>(TaskCreationOptions.RunContinuationsAsynchronously);
        EventLoopRegistration? registration = null;
        registration = Loop.Register(
            pair.Here,
            Read | EdgeTriggered,
            (_, _) =>
            {
                CountCall();
                Block();
                try
                {
                    Assert.Throws<InvalidOperationException>(() => other.Read(new byte[1]));
                    Assert.Equal((1, 2), (other.Write([1]).Count, other.Write(Segments.Of([2, 3], 2)).Count));
                    result.TrySetResult((registration!.Read(new byte[8]).Count, registration.Write([7, 8, 9]).Count));
                }
                catch (Exception exception)
                {
                    result.TrySetException(exception);
                }
            },
            null);
        pair.There.Write(1, 2);
        AwaitCall();
        LetGo();

        Assert.Equal((2, 3), await Deadline.For(result.Task));
        Assert.Equal([7, 8, 9], pair.There.ReadAll());
        Assert.Equal([1, 2, 3], otherPair.There.ReadAll());
        OnLoop(() =>
        {
            registration.Dispose();
            other.Dispose();
        });
    }

    [Fact]
    public async Task DisposedWhileItsHandlerBlocks_KeepsTheHandleUntilThatReturns()
    {
        using Pair pair = Pair.OfSockets();
        EventLoopRegistration registration = Blocking(pair, Read, read: false);
        pair.There.Write(1);
        AwaitCall();
        Task disposed = registration.DisposeAsync().AsTask();
        pair.Here.Dispose();
        AwaitLook();
        AwaitLook();
        Assert.False(pair.Here.IsReleased || disposed.IsCompleted);

        LetGo();
        await Deadline.For(disposed);
        Assert.Equal((0, true), (Inside, pair.Here.IsReleased));
    }

    [Fact]
    public async Task FormerDriver_DisposesOfItsOwnRegistration()
    {
        using Pair pair = Pair.OfSockets();
        var disposed = new TaskCompletionSource<Task>(TaskCreationOptions.RunContinuationsAsynchronously);
        EventLoopRegistration? registration = null;
        registration = Loop.Register(
            pair.Here,
            Read,
            (_, _) =>
            {
                CountCall();
                Block();
                Task removal = registration!.DisposeAsync().AsTask();
                Deadline.Wait(removal); // the loop is driven by another thread
                disposed.SetResult(removal);
            },
            null);
        pair.There.Write(1);
        AwaitCall();
        LetGo();
        await Deadline.For(disposed.Task);
        pair.Here.Dispose();
        Deadline.Until(() => pair.Here.IsReleased);
    }

    [Fact]
    public void FormerDriver_Registers()
    {
        using Pair pair = Pair.OfSockets();
        var told = new Told();
        Task ended = BlockTheLoop(last: () => Loop.Register(pair.Here, Read | EdgeTriggered, told.Handle, null));
        LetGo();
        Deadline.Wait(ended);
        pair.There.Write(1);
        Assert.Equal(EventLoopReadiness.Read, told.Next());
    }

    private EventLoopRegistration Blocking(Pair pair, EventLoopInterest interest, bool read) => Loop.Register(
        pair.Here,
        interest,
        (_, _) => BlockInCall(call =>
        {
            if (call > 1 && read)
            {
                pair.Here.ReadAll();
            }
        }),
        null);

    private void AwaitLook()
    {
        using Pair pair = Pair.OfPipeToRead();
        var told = new Told();
        using EventLoopRegistration registration = Loop.Register(pair.Here, Read | EdgeTriggered, told.Handle, null);
        pair.There.Write(1);
        Assert.Equal(EventLoopReadiness.Read, told.Next());
        OnLoop(registration.Dispose);
    }
}
