using NativeThreading.Tests.Support;
using static NativeThreading.EventLoops.EventLoopInterest;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>A thread that writes while its registration ends. The numbers are used again at once, and nothing is written to the files that
/// have them then.</summary>
[Trait("Category", "Race")]
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class WritingOutsideRaceTests
{
    /// <summary>How the number becomes free.</summary>
    public enum Ending
    {
        Disposed,
        DisposedOnTheLoop,
        ClosedBehindTheAwaitedDisposal,
        Stopped,
        Drained,
    }

    public static TheoryData<Ending> Endings => [.. Enum.GetValues<Ending>()];

    [Theory]
    [MemberData(nameof(Endings))]
    public void T91_Ended_AtAnyMoment_NothingIsWrittenToAnotherFile(Ending ending)
    {
        foreach (int round in RaceTime.Rounds())
        {
            using var loop = new EventLoop(new EventLoopOptions { HandsOverWhenBlocked = round % 2 == 0 });
            using Pair pair = Pair.OfSockets();
            EventLoopRegistration registration = loop.Register(pair.Here, Read | EdgeTriggered, static (_, _) => { }, null);
            int writes = 0;
            Task writing = Task.Run(() => WriteUntilRefused(registration, pair.There, ref writes));
            Deadline.Until(() => Volatile.Read(ref writes) > 3);
            Thread.SpinWait(round % 100 * 10);
            switch (ending)
            {
                case Ending.Disposed:
                    registration.Dispose();
                    break;
                case Ending.DisposedOnTheLoop:
                    Deadline.Wait(loop.InvokeAsync(registration.Dispose));
                    break;
                case Ending.ClosedBehindTheAwaitedDisposal:
                    Deadline.Wait(registration.DisposeAsync().AsTask());
                    pair.Here.CloseBehindItsBack(); // the handle does not protect it
                    break;
                default:
                    Deadline.Wait(loop.ShutdownAsync(new CancellationToken(canceled: ending == Ending.Stopped)));
                    break;
            }

            pair.Here.Dispose();
            Pair[] others = Pair.OfSockets(4);
            Deadline.Wait(writing);
            Assert.All(others, static other => Assert.Equal((0, 0), (other.Here.ReadAll().Length, other.There.ReadAll().Length)));
            Array.ForEach(others, static other => other.Dispose());
            Deadline.Until(() => pair.Here.IsReleased || ending == Ending.ClosedBehindTheAwaitedDisposal);
        }
    }

    /// <summary>One writer, now on the pool's thread and now in the loop: neither is refused before the other.</summary>
    [Fact]
    public void WrittenByTurns_OnTheLoopAndOutside_NothingIsLost()
    {
        using var loop = new EventLoop();
        using Pair pair = Pair.OfSockets();
        EventLoopRegistration registration = loop.Register(pair.Here, Read | EdgeTriggered, static (_, _) => { }, null);
        foreach (int round in Soak.Repeat(500))
        {
            byte value = (byte)round;
            Assert.Equal(1, registration.Write([value]).Count);
            Assert.Equal(1, Deadline.Result(loop.InvokeAsync(() => registration.Write([value]))).Count);
            Assert.Equal([value, value], pair.There.ReadAll());
        }

        Deadline.Wait(registration.DisposeAsync().AsTask());
    }

    private static void WriteUntilRefused(EventLoopRegistration registration, Descriptor there, ref int writes)
    {
        byte[] pattern = [1, 2, 3];
        try
        {
            for (bool isFull = false; ; Volatile.Write(ref writes, writes + 1))
            {
                if (isFull)
                {
                    there.ReadAll();
                }

                isFull = (writes % 2 == 0 ? registration.Write(pattern) : registration.Write(Segments.Of(pattern, 3))).WouldBlock;
            }
        }
        catch (ObjectDisposedException)
        {
        }
    }
}
