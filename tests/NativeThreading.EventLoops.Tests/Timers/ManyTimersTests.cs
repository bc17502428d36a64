using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>A million timers on one loop.</summary>
public sealed class ManyTimersTests : TimerTest
{
    private const int Million = 1_000_000;

    private int _fired;

    [Fact]
    public void AMillionArmedTimers_AreArmedAgain_FireOnce_AndAreCancelled()
    {
        EventLoopTimer[] timers = NewTimers(Million);
        OnLoop(() => Array.ForEach(timers, static timer => timer.Arm(Hour)));

        // The loop does other work meanwhile.
        using var soon = new ManualResetEventSlim();
        using EventLoopTimer other = NewTimer(soon.Set);
        other.Arm(Milliseconds(1));
        Deadline.Wait(soon);
        Assert.Equal(0, _fired);

        OnLoop(() =>
        {
            for (int i = 0; i < Million; i++)
            {
                switch (i % 4)
                {
                    case 0:
                        timers[i].Arm(TimeSpan.FromMicroseconds(i % 50_000));
                        break;
                    case 1:
                        timers[i].Cancel();
                        break;
                    case 2:
                        timers[i].Dispose();
                        break;
                }
            }
        });
        Deadline.Until(() => Volatile.Read(ref _fired) == Million / 4, $"a quarter of a million timers fire, {_fired} have");
        PassDueTimers();
        Assert.Equal(Million / 4, _fired);
        Assert.Equal(Million / 4, OnLoop(() => timers.Count(static timer => timer.IsArmed)));
        OnLoop(() => Array.ForEach(timers, static timer => timer.Dispose()));
    }

    [Fact]
    public void AHundredThousandTimersOfOtherThreads_AllFire()
    {
        const int count = 100_000, threads = 4;
        EventLoopTimer[] timers = NewTimers(count);
        StartGate.Run(threads, thread =>
        {
            for (int i = thread; i < count; i += threads)
            {
                timers[i].Arm(TimeSpan.FromMicroseconds(i % 20_000));
            }
        });
        Deadline.Until(() => Volatile.Read(ref _fired) == count);
        PassDueTimers();
        Assert.Equal(count, _fired);
    }

    private EventLoopTimer[] NewTimers(int count)
    {
        Action<object?> callback = _ => _fired++;
        var timers = new EventLoopTimer[count];
        for (int i = 0; i < count; i++)
        {
            timers[i] = new EventLoopTimer(Loop, callback, null);
        }

        return timers;
    }
}
