using NativeThreading.Tests.EventLoops.Descriptors;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Posting;

/// <summary>Callbacks that run when the kernel has been asked again.</summary>
public sealed class AfterPollTests : DescriptorTest
{
    private const int Rounds = 1_000;

    private readonly Pair _pair = Pair.OfPipeToRead();

    protected override void Release() => _pair.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void EachHasReadinessToldBefore_AlsoBesideTimersThatAreDue(bool timers)
    {
        _pair.There.Write(1); // ready indefinitely: reported by each poll that asks the kernel
        var told = new Told();
        EventLoopRegistration registration = Watch(_pair.Here, EventLoopInterest.Read, told);
        using var timer = new EventLoopTimer(Loop, static _ => { }, null);
        using var done = new ManualResetEventSlim();
        int rounds = 0, before = 0, untold = 0;
        void Again(object? state)
        {
            untold += told.Count == before ? 1 : 0;
            before = told.Count;
            if (++rounds == Rounds)
            {
                done.Set();
                return;
            }

            if (timers)
            {
                timer.Arm(TimeSpan.Zero);
            }

            Loop.UnsafePostAfterPoll(Again, null);
        }

        Loop.UnsafePostAfterPoll(Again, null);
        Deadline.Wait(done);
        Assert.Equal(0, untold);
        OnLoop(registration.Dispose);
    }

    [Fact]
    public void CallbacksOfAThread_RunInItsOrder()
    {
        var ran = new List<int>();
        using (new OccupiedLoop(Loop))
        {
            for (int i = 0; i < Rounds; i++)
            {
                int number = i;
                Loop.PostAfterPoll(_ => ran.Add(number), null);
            }

            Assert.Equal(Rounds, Loop.PendingCallbackCount);
        }

        Deadline.Until(() => Loop.Call(() => ran.Count) == Rounds);
        OnLoop(() =>
        {
            for (int i = Rounds; i < 2 * Rounds; i++)
            {
                int number = i;
                Loop.PostAfterPoll(_ => ran.Add(number), null);
            }

            Assert.Equal(Rounds, Loop.PendingCallbackCount);
        });
        Deadline.Until(() => Loop.Call(() => ran.Count) == 2 * Rounds);
        Assert.Equal(Enumerable.Range(0, 2 * Rounds), ran);
    }

    [Fact]
    public void PostedCallbacks_TimersAndOtherThreads_HaveTheirTurn()
    {
        bool stop = false;
        void Again(object? state)
        {
            if (!stop)
            {
                Loop.UnsafePostAfterPoll(Again, null);
            }
        }

        Loop.UnsafePostAfterPoll(Again, null);
        using var fired = new CountdownEvent(10);
        using var timer = new EventLoopTimer(
            Loop,
            _ =>
            {
                if (!fired.IsSet)
                {
                    fired.Signal();
                }
            },
            null);
        timer.Arm(TimeSpan.Zero, TimeSpan.FromMilliseconds(1));
        Deadline.Wait(fired);
        for (int i = 0; i < 100; i++)
        {
            Loop.Call(() => { });
        }

        Loop.Call(() => stop = true);
    }

    [Fact]
    public void ContextFlows_UnlessUnsafe()
    {
        var local = new AsyncLocal<string?>();
        var seen = new List<string?>();
        using var done = new CountdownEvent(4);
        void See(object? state)
        {
            seen.Add(local.Value);
            done.Signal();
        }

        local.Value = "outside";
        Loop.PostAfterPoll(See, null);
        Loop.UnsafePostAfterPoll(See, null);
        Deadline.Until(() => done.CurrentCount == 2);
        OnLoop(() =>
        {
            local.Value = "on the loop";
            Loop.PostAfterPoll(See, null);
            Loop.UnsafePostAfterPoll(See, null);
        });
        Deadline.Wait(done);
        Assert.Equal(["outside", null, "on the loop", null], seen);
    }

    [Fact]
    public void OneThatThrows_HoldsUpNoOther()
    {
        using var done = new ManualResetEventSlim();
        OnLoop(() =>
        {
            Loop.PostAfterPoll(static _ => throw new InvalidTimeZoneException(), null);
            Loop.PostAfterPoll(_ => done.Set(), null);
        });
        Deadline.Wait(done);
        Assert.IsType<InvalidTimeZoneException>(NextUnhandled());
    }

    [Fact]
    public void OnTheLoop_NothingIsAllocated()
    {
        using var done = new ManualResetEventSlim();
        int rounds = 0;
        long begin = 0, allocated = 0;
        void Again(object? state)
        {
            if (++rounds == Rounds)
            {
                begin = GC.GetAllocatedBytesForCurrentThread();
            }
            else if (rounds == 2 * Rounds)
            {
                allocated = GC.GetAllocatedBytesForCurrentThread() - begin;
                done.Set();
                return;
            }

            Loop.UnsafePostAfterPoll((Action<object?>)state!, state);
        }

        Action<object?> again = Again;
        Assert.Equal(0, Allocation.Least(() =>
        {
            rounds = 0;
            done.Reset();
            Loop.UnsafePostAfterPoll(again, again);
            Deadline.Wait(done);
            return allocated;
        }));
    }

    [Fact]
    public void ACallback_IsDemanded()
    {
        Assert.Throws<ArgumentNullException>("callback", () => Loop.PostAfterPoll(null!, null));
        Assert.Throws<ArgumentNullException>("callback", () => Loop.UnsafePostAfterPoll(null!, null));
    }
}
