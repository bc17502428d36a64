using NativeThreading.ManagedCore;
using NativeThreading.Tests.Support;
using NativeThreading.Waiting;

namespace NativeThreading.Tests.ManagedCore;

/// <summary>Waking a managed loop: no wake is lost, whatever it meets, and none costs more than it must (T71, T78).</summary>
[Trait("Category", "Race")]
public sealed class LoopSleepTests
{
    private readonly LoopSleep _sleep = new();

    [Fact]
    public void T71_EveryPublicationIsSeen_WhereverTheLoopIs()
    {
        long published = 0;
        long seen = 0;
        bool ended = false;
        Race.Run(
            () =>
            {
                for (Budget budget = Budget.Of(500); budget.HasTime;)
                {
                    long mine = Interlocked.Increment(ref published);
                    _sleep.Wake(always: false);
                    if (mine % 3 == 0)
                    {
                        Deadline.Until(() => Volatile.Read(ref seen) >= mine, "the loop sees what was published");
                    }
                }

                Volatile.Write(ref ended, true);
                _sleep.Wake(always: false);
            },
            () =>
            {
                while (!Volatile.Read(ref ended))
                {
                    if (!_sleep.TryTake() && _sleep.TryBlock())
                    {
                        Assert.True(_sleep.Sleep(MonotonicClock.After(Deadline.Time.Ticks * TimeSpan.NanosecondsPerTick)), "a wake was lost");
                        _sleep.EndBlock();
                    }

                    Volatile.Write(ref seen, Volatile.Read(ref published));
                }
            });
    }

    [Fact]
    public void WakeOfALoopThatIsAwake_SetsNothing_AndIsThereForTheNextPoll()
    {
        Assert.False(_sleep.Wake(always: false));
        Assert.False(_sleep.Wake(always: false));
        Assert.False(_sleep.TryBlock());
        Assert.True(_sleep.TryTake());
        Assert.False(_sleep.TryTake());
        Assert.Equal(0, _sleep.Sets);
    }

    [Fact]
    public void T78_SetThatComesLate_EndsALaterSleep_WhichHasNoWake()
    {
        Assert.True(_sleep.TryBlock());
        Assert.True(_sleep.Wake(always: false));
        Assert.True(_sleep.EndBlock(), "it woke for another reason, and takes the wake");
        Assert.True(_sleep.TryBlock());
        Assert.True(_sleep.Sleep(MonotonicClock.Never), "the set was left over");
        Assert.False(_sleep.EndBlock());
        Assert.True(_sleep.TryBlock());
        Assert.False(_sleep.Sleep(MonotonicClock.After(1_000_000)));
    }

    [Fact]
    public void T72_ClosedLoop_RefusesWakes()
    {
        _sleep.Close();
        Assert.Null(_sleep.Wake(always: false));
        Assert.Equal(0, _sleep.Sets);
    }
}
