using System.Buffers;
using NativeThreading.Tests.Support;
using static NativeThreading.EventLoops.EventLoopInterest;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Writing on another thread than the loop's.</summary>
public sealed class WritingOutsideTests : CallTest
{
    private readonly Pair _pair = Pair.OfSockets();

    protected override void Release() => _pair.Dispose();

    [Fact]
    public void Writes_OnAnyThread_ArriveInTheirOrder()
    {
        EventLoopRegistration registration = Register(_pair.Here);
        using var other = new EventLoop();
        Assert.True(registration.TryWrite([1, 2], out int some) && some == 2);
        Deadline.Wait(other.InvokeAsync(() => Assert.True(registration.TryWrite(Segments.Of([3, 4, 5], 3), out _))));
        Assert.True(OnLoop(() => registration.TryWrite([6], out _)));
        Assert.Equal([1, 2, 3, 4, 5, 6], _pair.There.ReadAll());
        registration.ShutdownWrite();
        Assert.Equal(0, Libc.Read(_pair.There.Number, new byte[1])); // the end
        Assert.Equal(Libc.EPipe, registration.Write([1]).ErrorNumber);
    }

    [Fact]
    public void FullSocket_TheHandlerSaysWhenToGoOn()
    {
        var told = new Told();
        EventLoopRegistration registration = Watch(_pair.Here, None, told);
        told.Then = _ => registration.Interest = None;
        byte[] pattern = Pattern(4 * 1024 * 1024);
        ReadOnlySequence<byte> rest = Segments.Of(pattern, 40);
        var received = new List<byte>();
        bool wasRefused = false;
        while (!rest.IsEmpty)
        {
            EventLoopIOResult result = registration.Write(rest);
            rest = rest.Slice(result.Count);
            if (result.WouldBlock)
            {
                wasRefused = true;
                registration.Interest |= Write;
                received.AddRange(_pair.There.ReadAll());
                Assert.Equal(EventLoopReadiness.Write, told.Next());
            }
        }

        received.AddRange(_pair.There.ReadAll());
        Assert.True(wasRefused);
        Assert.Equal(pattern, received);
    }

    [Fact]
    public void Disposed_IsRefused_ThoughTheLoopHasNotComeToTheDisposal()
    {
        EventLoopRegistration registration = Register(_pair.Here);
        using var occupied = new ManualResetEventSlim();
        Loop.Post(_ => Deadline.Wait(occupied), null);
        registration.Dispose();
        Assert.Throws<ObjectDisposedException>(() => registration.Write([1]));
        Assert.Throws<ObjectDisposedException>(() => registration.Write(Segments.Of([1, 2], 2)));
        Assert.Throws<ObjectDisposedException>(registration.ShutdownWrite);
        occupied.Set();
        Deadline.Wait(registration.DisposeAsync().AsTask());
        Assert.Empty(_pair.There.ReadAll());
    }

    [Theory, CombinatorialBooleans]
    public void T91_HandleIsHeld_UntilTheWriteHasEnded(bool byStop)
    {
        EventLoopRegistration registration = Register(_pair.Here);
        using var memory = new HeldMemory();
        Task<EventLoopIOResult> writing = Task.Run(() => registration.Write(Segments.Of(memory.Memory, new byte[] { 2 })));
        Deadline.Wait(memory.Pinned);
        Task disposed = registration.DisposeAsync().AsTask();
        _pair.Here.Dispose();
        if (byStop)
        {
            Deadline.Wait(Loop.ShutdownAsync(CancellationToken.None));
        }
        else
        {
            OnLoop(static () => { }); // after the removal
        }

        Assert.False(_pair.Here.IsReleased || disposed.IsCompleted);
        Assert.Throws<ObjectDisposedException>(() => registration.Write([9]));
        memory.Go.Set();
        Assert.Equal(2, Deadline.Result(writing).Count);
        Deadline.Wait(disposed);
        Assert.True(_pair.Here.IsReleased);
        Assert.Equal([1, 2], _pair.There.ReadAll());
    }

    [Fact]
    public void DisposedOnTheLoop_TheAwaitedFormWaitsForTheWrite()
    {
        EventLoopRegistration registration = Register(_pair.Here);
        using var memory = new HeldMemory();
        Task<EventLoopIOResult> writing = Task.Run(() => registration.Write(Segments.Of(memory.Memory, new byte[] { 2 })));
        Deadline.Wait(memory.Pinned);
        Task disposed = OnLoop(() => registration.DisposeAsync().AsTask());
        Assert.False(disposed.IsCompleted);
        memory.Go.Set();
        Deadline.Wait(disposed);
        Assert.True(OnLoop(() => registration.DisposeAsync().AsTask()).IsCompletedSuccessfully);
        Assert.Equal(2, Deadline.Result(writing).Count);
    }

    [Fact]
    public void WriteThatThrows_LeavesTheHandleAndThePins()
    {
        EventLoopRegistration registration = Register(_pair.Here);
        using PinCountingMemory good = new(failing: false), bad = new(failing: true);
        Assert.Throws<InvalidTimeZoneException>(() => registration.Write(Segments.Of(good.Memory, bad.Memory)));
        Assert.Equal(0, good.Held);
        Assert.Equal(32, registration.Write(Segments.Of(good.Memory, good.Memory)).Count);
        Assert.Equal(0, good.Held);
        Deadline.Wait(registration.DisposeAsync().AsTask());
        _pair.Here.Dispose();
        Assert.True(_pair.Here.IsReleased);
    }

    [Fact]
    public void NothingIsAllocated()
    {
        EventLoopRegistration registration = Register(_pair.Here);
        byte[] bytes = new byte[10], buffer = new byte[2_000];
        ReadOnlySequence<byte> sequence = Segments.Of(Pattern(650), 65);
        Assert.Equal(0, Allocation.Least(() =>
        {
            long before = 0;
            for (int i = 0; i < 2_200; i++)
            {
                before = i == 200 ? GC.GetAllocatedBytesForCurrentThread() : before;
                long count = registration.Write(bytes).Count + registration.Write(sequence).Count;
                Assert.True(Libc.Read(_pair.There.Number, buffer) == count && count == 650);
            }

            return GC.GetAllocatedBytesForCurrentThread() - before;
        }));
    }
}
