using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.HandOver;

/// <summary>Callbacks that end just when they are relieved, timers that fire meanwhile, and a shutdown or a stop in the middle: each callback
/// runs once, no timer is reentered, and every loop ends.</summary>
[Trait("Category", "Race")]
public sealed class HandOverRaceTests
{
    private const int Callbacks = 300;

    [Fact]
    public void CallbacksThatAreRelievedAtAnyMoment_RunOnceEach()
    {
        for (Budget budget = Budget.Of(250); budget.HasTime;)
        {
            var loop = new EventLoop(new EventLoopOptions { Name = "race", HandsOverWhenBlocked = true });
            int[] runs = new int[Callbacks];
            int inside = 0;
            int overlaps = 0;
            int fired = 0;
            using var timer = new EventLoopTimer(
                loop,
                _ =>
                {
                    if (Interlocked.Increment(ref inside) != 1)
                    {
                        Interlocked.Increment(ref overlaps);
                    }

                    Interlocked.Increment(ref fired);
                    Relieve();
                    Interlocked.Decrement(ref inside);
                },
                null);
            timer.Arm(TimeSpan.Zero, TimeSpan.FromMicroseconds(50));
            Deadline.Until(() => Volatile.Read(ref fired) != 0);
            for (int i = 0; i < Callbacks; i++)
            {
                int number = i;
                loop.Post(
                    _ =>
                    {
                        Interlocked.Increment(ref runs[number]);
                        Relieve();
                        timer.Arm(TimeSpan.Zero, TimeSpan.FromMicroseconds(50));
                        loop.PostAfterPoll(static _ => { }, null);
                    },
                    null);
            }

            Assert.Equal(0, Deadline.Result(loop.ShutdownAsync(CancellationToken.None)));
            Assert.All(runs, static count => Assert.Equal(1, count));
            Assert.Equal((0, 0, 0), (overlaps, inside, loop.HandOver!.FormerCount));
        }
    }

    [Fact]
    public void StopByToken_BesideTakeovers_RunsOrDropsEachCallback()
    {
        for (Budget budget = Budget.Of(250); budget.HasTime;)
        {
            var loop = new EventLoop(new EventLoopOptions { Name = "race", HandsOverWhenBlocked = true });
            int ran = 0;
            for (int i = 0; i < Callbacks; i++)
            {
                loop.Post(
                    _ =>
                    {
                        Relieve();
                        Interlocked.Increment(ref ran);
                    },
                    null);
            }

            long dropped = Deadline.Result(loop.ShutdownAsync(new CancellationToken(canceled: true)));
            Deadline.Until(() => Volatile.Read(ref ran) + dropped == Callbacks);
            Deadline.Until(() => loop.HandOver!.FormerCount == 0 && loop.HandOver.IsClosed);
        }
    }

    /// <summary>Another thread takes over now, or comes too late.</summary>
    private static void Relieve()
    {
        using (NativeThreadPool.EnterBlockingRegion())
        {
            Thread.Yield();
        }
    }
}
