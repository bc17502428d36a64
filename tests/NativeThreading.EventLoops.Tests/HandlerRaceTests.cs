using System.Runtime.CompilerServices;
using NativeThreading.EventLoops.Descriptors;
using NativeThreading.Tests.EventLoops.Descriptors;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops;

/// <summary>Handlers and timers that another thread does not want to be called any more (T139).</summary>
[Trait("Category", "Race")]
public sealed class HandlerRaceTests : DescriptorTest
{
    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_gate")]
    private static extern ref HandlerGate GateOf(EventLoopRegistration registration);

    /// <summary>A call that the loop had claimed may continue; the gate says whether the loop had claimed it.</summary>
    [Fact]
    public void T139_DisposedOnAnotherThread_TheLoopBeginsNoCallAfterIt()
    {
        int late = 0;
        foreach (int round in RaceTime.Rounds())
        {
            using var pair = Pair.OfSockets();
            pair.There.Write(1); // ready in each turn
            int isOver = 0;
            int told = 0;
            EventLoopRegistration registration = Loop.Register(
                pair.Here,
                EventLoopInterest.Read,
                (_, _) =>
                {
                    late += Volatile.Read(ref isOver);
                    Volatile.Write(ref told, told + 1);
                },
                null);
            int calls = round % 4;
            Deadline.Until(() => Volatile.Read(ref told) >= calls);
            Thread.SpinWait(round % 100 * 10);
            registration.Dispose();
            if (!GateOf(registration).IsCalling)
            {
                Volatile.Write(ref isOver, 1);
            }

            Deadline.Wait(registration.DisposeAsync().AsTask());
            Assert.Equal(0, OnLoop(() => late));
        }
    }

    [Fact]
    public void T139_DisposalAwaited_NoHandlerRunsBehindIt()
    {
        int late = 0;
        foreach (int round in RaceTime.Rounds())
        {
            using var pair = Pair.OfSockets();
            pair.There.Write(1);
            int isOver = 0;
            int told = 0;
            EventLoopRegistration registration = Loop.Register(
                pair.Here,
                EventLoopInterest.Read,
                (_, _) =>
                {
                    Volatile.Write(ref told, told + 1);
                    Thread.SpinWait(told % 20 * 10);
                    late += Volatile.Read(ref isOver);
                },
                null);
            int calls = round % 4;
            Deadline.Until(() => Volatile.Read(ref told) >= calls);
            Deadline.Wait(registration.DisposeAsync().AsTask(), $"the disposal of round {round}");
            Volatile.Write(ref isOver, 1);
            Assert.Equal(0, OnLoop(() => late));
        }
    }

    [Fact]
    public void T139_TimersDisposedOnAnotherThread_NoCallbackRunsBehindTheAwaitedForm()
    {
        int late = 0;
        foreach (int round in RaceTime.Rounds())
        {
            int isOver = 0;
            int fired = 0;
            var timer = new EventLoopTimer(
                Loop,
                _ =>
                {
                    Volatile.Write(ref fired, fired + 1);
                    Thread.SpinWait(fired % 20 * 10);
                    late += Volatile.Read(ref isOver);
                },
                null);
            timer.Arm(TimeSpan.Zero, TimeSpan.FromMicroseconds(50));
            int calls = round % 4;
            Deadline.Until(() => Volatile.Read(ref fired) >= calls);
            timer.Arm(TimeSpan.FromMicroseconds(round % 100), TimeSpan.FromMicroseconds(30)); // a request that may meet the next one
            Deadline.Wait(timer.DisposeAsync().AsTask(), $"the disposal of round {round}");
            Volatile.Write(ref isOver, 1);
            Assert.Equal(0, OnLoop(() => late));
        }
    }

    [Fact]
    public void OneShotTimerArmedOnAnotherThread_FiresOncePerArm()
    {
        using var fired = new SemaphoreSlim(0);
        var timer = new EventLoopTimer(Loop, _ => fired.Release(), null);
        foreach (int round in RaceTime.Rounds())
        {
            timer.Arm(TimeSpan.FromMicroseconds(round % 3 * 50));
            Deadline.Wait(fired, $"the timer of round {round} fires");
        }

        Deadline.Wait(timer.DisposeAsync().AsTask());
        Assert.Equal(0, fired.CurrentCount);
    }
}
