using System.Runtime.InteropServices;
using NativeThreading.Platform;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Platform;

/// <summary>Waking a managed loop: no wake is lost, wherever the loop is, and wakes that come together are reported as one (T71, T78).</summary>
[Trait("Category", "Race")]
public sealed unsafe class ManagedEventLoopTests : IDisposable
{
    private const long Millisecond = 1_000_000;
    private static readonly long s_deadline = Deadline.Time.Ticks * TimeSpan.NanosecondsPerTick;

    private readonly NativeEvent* _events = (NativeEvent*)NativeMemory.Alloc(ManagedEventLoop.FewestEvents, (nuint)sizeof(NativeEvent));
    private readonly ManagedEventLoop _loop = new();

    public void Dispose() => NativeMemory.Free(_events);

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
                    _loop.Wake();
                    if (mine % 3 == 0)
                    {
                        Deadline.Until(() => Volatile.Read(ref seen) >= mine, "the loop sees what was published");
                    }
                }

                Volatile.Write(ref ended, true);
                _loop.Wake();
            },
            () =>
            {
                for (int polls = 0; !Volatile.Read(ref ended); polls++)
                {
                    bool looksOnly = polls % 4 == 0; // so that some wakes come to a loop that does not sleep
                    int count = Poll(looksOnly ? 0 : s_deadline);
                    Assert.True(looksOnly || count == 1, "a wake was lost");
                    Volatile.Write(ref seen, Volatile.Read(ref published));
                }
            });
    }

    [Fact]
    public void WakesBeforeAPoll_AreOne()
    {
        _loop.Wake();
        _loop.Wake();
        Assert.Equal(1, Poll(s_deadline));
        Assert.Equal(NativeEventKind.Wake, _events[0].Kind);
        Assert.Equal((1L, 2L), (_loop.Stats.Waits, _loop.Stats.Writes));
        Assert.Equal(0, Poll(0));
    }

    [Fact]
    public void T78_WakeThatAPollHasFound_EndsNoLaterPoll()
    {
        _loop.Wake();
        Assert.Equal(1, Poll(0));
        long timer = _loop.CreateTimer(token: 7);
        Assert.Equal(0, _loop.ArmTimer(timer, MonotonicClock.After(5 * Millisecond)));
        Assert.Equal(1, Poll(s_deadline)); // the timer, and no wake
        Assert.Equal((NativeEventKind.Timer, 7UL), (_events[0].Kind, _events[0].Token));
    }

    [Fact]
    public void T76_EventOfATimerThatBecomesStale_IsStruckOut_Once()
    {
        long first = _loop.CreateTimer(token: 1);
        long second = _loop.CreateTimer(token: 2);
        Assert.Equal(0, _loop.ArmTimer(first, MonotonicClock.Now));
        Assert.Equal(0, _loop.ArmTimer(second, MonotonicClock.Now));
        Assert.Equal(2, Poll(s_deadline));
        Assert.Equal((1, 0), (_loop.CancelTimer(first), _loop.CancelTimer(first)));
        Assert.Equal((NativeEventKind.None, NativeEventKind.Timer), (_events[0].Kind, _events[1].Kind));
        Assert.Equal(0, Poll(0));
        Assert.Equal(0, _loop.CancelTimer(second)); // its batch is over
    }

    private int Poll(long timeoutNanoseconds) => _loop.Poll(_events, ManagedEventLoop.FewestEvents, timeoutNanoseconds);
}
