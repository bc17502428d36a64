using System.IO.Pipes;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>Timers that are always due leave the others their turn (T74).</summary>
public sealed class TimerStarvationTests : TimerTest
{
    private const int Rounds = 2_000;

    private int _fired;
    private volatile bool _stop;

    [Theory]
    [InlineData(1)]
    [InlineData(3_000)] // more than one poll delivers
    public void T74_TimersArmedInTheirCallback_LetPostedCallbacksRun(int timers)
    {
        StartEndless(timers);
        for (int i = 0; i < 200; i++)
        {
            PassTurn();
        }

        // And the other way round: callbacks that post themselves let the timers fire.
        int before = Volatile.Read(ref _fired);
        void PostAgain(object? state)
        {
            if (!_stop)
            {
                Loop.Post(PostAgain, null);
            }
        }

        Loop.Post(PostAgain, null);
        Deadline.Until(() => Volatile.Read(ref _fired) > before + (3 * timers));
        _stop = true;
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3_000)]
    [NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
    public void T74_TimersArmedInTheirCallback_LetADescriptorBeServed(int timers)
    {
        using var server = new AnonymousPipeServerStream(PipeDirection.Out);
        using var client = new AnonymousPipeClientStream(PipeDirection.In, server.ClientSafePipeHandle);
        server.WriteByte(1); // never read: ready in every turn
        int ready = 0;
        using EventLoopRegistration registration =
            Loop.Register(client.SafePipeHandle, EventLoopInterest.Read, (_, _) => ready++, null);
        StartEndless(timers);
        Deadline.Until(() => Volatile.Read(ref ready) > 200);

        int before = Volatile.Read(ref _fired);
        Deadline.Until(() => Volatile.Read(ref _fired) > before + (3 * timers));
        _stop = true;
    }

    [Theory]
    [InlineData(1)]
    [InlineData(100)]
    public void T74_TimersArmedInTheirCallback_LetATimerOfALaterDeadlineFire(int timers)
    {
        StartEndless(timers);
        using var fired = new ManualResetEventSlim();
        using EventLoopTimer later = NewTimer(fired.Set);
        for (int i = 0; i < 20; i++)
        {
            fired.Reset();
            later.Arm(Milliseconds(i % 3 / 2.0));
            Deadline.Wait(fired);
        }

        _stop = true;
    }

    [Fact]
    public void T74_TimerArmedInItsCallback_FiresOncePerTurn()
    {
        // One more posted callback per turn; both count turns, and neither may count two where the other counts one.
        using var done = new ManualResetEventSlim();
        int turns = 0, most = 0, inThisTurn = 0;
        EventLoopTimer timer = null!;
        timer = NewTimer(() =>
        {
            most = Math.Max(most, ++inThisTurn);
            if (++turns == Rounds)
            {
                done.Set();
                return;
            }

            timer.Arm(TimeSpan.Zero);
            Loop.Post(_ => inThisTurn = 0, null); // runs at the end of the turn, before the next poll
        });
        timer.Arm(TimeSpan.Zero);
        Deadline.Wait(done);
        Assert.Equal(1, most);
        timer.Dispose();
    }

    private void StartEndless(int count)
    {
        OnLoop(() =>
        {
            for (int i = 0; i < count; i++)
            {
                EventLoopTimer timer = null!;
                timer = NewTimer(() =>
                {
                    _fired++;
                    if (!_stop)
                    {
                        timer.Arm(TimeSpan.Zero);
                    }
                });
                timer.Arm(TimeSpan.Zero);
            }
        });
    }
}
