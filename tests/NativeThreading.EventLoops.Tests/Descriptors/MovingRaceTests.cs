using NativeThreading.Tests.Support;
using static NativeThreading.EventLoopInterest;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Moves beside everything else: nothing is lost or told twice at a time, and everything ends.</summary>
[Trait("Category", "Race")]
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class MovingRaceTests
{
    /// <summary>A byte is written when the last one has been read; so one whose readiness is lost in a move is the last.</summary>
    [Theory]
    [InlineData(Read, false)]
    [InlineData(Read | EdgeTriggered, false)]
    [InlineData(Read, true)]
    [InlineData(Read | EdgeTriggered, true)]
    public void MovedToAndFro_IsToldOfEverything_ByOneLoopAtATime(EventLoopInterest interest, bool handsOver)
    {
        EventLoop[] loops = [New(handsOver), New(handsOver)];
        using Pair pair = Pair.OfSockets();
        int read = 0, inside = 0, wrong = 0;
        byte[] buffer = new byte[8];
        EventLoopRegistration? registration = null;
        registration = Deadline.Result(loops[0].InvokeAsync(() => registration = loops[0].Register(
            pair.Here,
            interest,
            (_, _) =>
            {
                bool isRight = Interlocked.Increment(ref inside) == 1 && (handsOver || registration!.Loop == EventLoop.Current);
                Interlocked.Add(ref wrong, isRight ? 0 : 1);
                if (handsOver && read % 5 == 0)
                {
                    using var region = NativeThreadPool.EnterBlockingRegion(); // another thread takes over, or comes too late
                    Thread.Yield();
                }

                while (registration!.Read(buffer) is { IsSuccess: true } result)
                {
                    Volatile.Write(ref read, read + (int)result.Count);
                    if (result.Count < buffer.Length)
                    {
                        break;
                    }
                }

                Interlocked.Decrement(ref inside);
            },
            null)));
        int written = 0;
        int next = 0;
        using var ended = new CancellationTokenSource();
        Task moving = Task.Run(async () =>
        {
            while (!ended.IsCancellationRequested)
            {
                await registration.MoveToAsync(loops[++next % 2]);
            }
        });
        foreach (int round in RaceTime.Rounds())
        {
            int before = written;
            pair.There.Write(1);
            written++;
            Deadline.Until(() => Volatile.Read(ref read) > before);
            registration.Interest = interest;
            Thread.SpinWait(round % 40);
        }

        ended.Cancel();
        Deadline.Wait(moving);
        Deadline.Wait(registration.DisposeAsync().AsTask());
        Assert.Equal((written, 0, 0), (read, inside, wrong));
        Array.ForEach(loops, static loop => loop.Dispose());
    }

    [Fact]
    public void EachToTheOther_AtOnce()
    {
        EventLoop[] loops = [New(handsOver: false), New(handsOver: true)];
        Pair[] pairs = Pair.OfSockets(20);
        EventLoopRegistration[] registrations =
            [.. pairs.Select((pair, i) => loops[i % 2].Register(pair.Here, Write | EdgeTriggered, static (_, _) => { }, null))];
        foreach (int round in RaceTime.Rounds())
        {
            EventLoopRegistration[][] own = [.. loops.Select(loop => Array.FindAll(registrations, registration => registration.Loop == loop))];
            Task[] moves = [.. loops.Select((loop, i) => loop.InvokeAsync(
                () => Task.WhenAll(own[i].Select(registration => registration.MoveToAsync(loops[1 - i])))))];
            Array.ForEach(moves, static move => Deadline.Wait(move));
            Assert.Equal(round % 2 == 0 ? loops[1] : loops[0], registrations[0].Loop);
        }

        Array.ForEach(loops, static loop => loop.Dispose());
        Array.ForEach(pairs, static pair => pair.Dispose());
        Assert.All(pairs, static pair => Assert.True(pair.Here.IsReleased));
    }

    [Theory, CombinatorialBooleans]
    public void BesideItsDisposalAndTheStopOfEither_EverythingEnds(bool handsOver)
    {
        foreach (int round in RaceTime.Rounds())
        {
            EventLoop[] loops = [New(handsOver), New(handsOver)];
            Pair[] pairs = Pair.OfSockets(4);
            EventLoopRegistration[] registrations =
                [.. pairs.Select(pair => loops[0].Register(pair.Here, Write, static (_, _) => { }, null))];
            Array.ForEach(pairs, static pair => pair.Here.Dispose());
            StartGate.Run(4, thread =>
            {
                Thread.SpinWait(round % 30 * (thread + 1));
                switch (thread)
                {
                    case 0:
                        Array.ForEach(registrations, registration => Ends(() => registration.MoveToAsync(loops[1])));
                        break;
                    case 1:
                        Array.ForEach(registrations, static registration => Ends(() =>
                        {
                            registration.Interest = Read | EdgeTriggered;
                            registration.Write([1]);
                            return Task.CompletedTask;
                        }));
                        break;
                    case 2 when round % 3 != 2:
                        Deadline.Wait(loops[round % 3].ShutdownAsync(new CancellationToken(canceled: round % 2 == 0)));
                        break;
                    default:
                        Deadline.Wait(registrations[^1].DisposeAsync().AsTask());
                        Ends(() => registrations[0].MoveToAsync(loops[0]));
                        break;
                }
            });
            Array.ForEach(registrations, static registration => Deadline.Wait(registration.DisposeAsync().AsTask()));
            Assert.All(pairs, static pair => Assert.True(pair.Here.IsReleased));
            Array.ForEach(pairs, static pair => pair.There.Dispose());
            Array.ForEach(loops, static loop => loop.Dispose());
        }
    }

    private static EventLoop New(bool handsOver) => new(new EventLoopOptions { HandsOverWhenBlocked = handsOver });

    /// <summary>It succeeds, or says that something has ended, or that a move has not.</summary>
    private static void Ends(Func<Task> call)
    {
        try
        {
            Deadline.Wait(call());
        }
        catch (Exception exception) when (exception is InvalidOperationException) // ObjectDisposedException is one
        {
        }
    }
}
