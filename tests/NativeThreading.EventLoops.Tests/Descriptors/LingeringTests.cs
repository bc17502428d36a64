using System.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>A loop polls before it sleeps while what it waits for soon comes, and is quiet otherwise (T46, T108).</summary>
/// <remarks>No other test runs at the same time: these tests are about how soon something comes.</remarks>
[Collection(nameof(SoakTest))]
public sealed class LingeringTests : DescriptorTest
{
    private const int Enough = 10; // lingers: far more than a new loop's credit would be good for

    private readonly Pair _pair = Pair.OfSockets();
    private readonly byte[] _answer = new byte[1];

    protected override void Release() => _pair.Dispose();

    [Fact]
    public async Task PeerThatAnswersSoon_IsLingeredFor_AndOnceItIsSilentTheLoopIsQuiet()
    {
        SkipUnlessLoopsLinger();
        using EventLoopRegistration echo = Echo(Loop, _pair);
        Deadline.Until(() => RoundTripsMakeItLinger());

        Loop.WaitUntilAsleep();
        EventLoopStats asleep = Loop.Stats;
        await Task.Delay(TimeSpan.FromSeconds(1), TestContext.Current.CancellationToken); // that nothing happens takes its time
        Assert.Equal((asleep.SystemCalls, asleep.Lingers), (Loop.Stats.SystemCalls, Loop.Stats.Lingers));
        OnLoop(echo.Dispose);
    }

    [Fact]
    public async Task RareEvents_AreNotLingeredFor()
    {
        using EventLoopRegistration echo = Echo(Loop, _pair);
        RoundTrip();
        Loop.WaitUntilAsleep();
        long before = Loop.Stats.Lingers;
        for (int i = 0; i < 100; i++)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(2), TestContext.Current.CancellationToken); // the peer's pause
            RoundTrip();
        }

        Assert.Equal(before, Loop.Stats.Lingers);
        OnLoop(echo.Dispose);
    }

    [Fact]
    public void CallbacksThatFollowEachOtherSoon_AreLingeredFor()
    {
        SkipUnlessLoopsLinger();
        Deadline.Until(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                bool ran = false;
                Loop.UnsafePost(_ => Volatile.Write(ref ran, true), null);
                SpinUntil(() => Volatile.Read(ref ran));
            }

            return Loop.Stats.Lingers > Enough;
        });
    }

    [Theory, CombinatorialBooleans]
    public void LoopThatIsStoppedAmidItsTraffic_Ends(bool byToken)
    {
        foreach (int _ in Soak.Repeat(50))
        {
            var loop = new EventLoop();
            Echo(loop, _pair);
            for (int i = 0; i < 20; i++)
            {
                RoundTrip();
            }

            Deadline.Wait(loop.ShutdownAsync(new CancellationToken(canceled: byToken))); // it lingers at this moment, or nearly so
        }
    }

    private static void SkipUnlessLoopsLinger() =>
        Assert.SkipUnless(LingerBudget.WakeLatencyNanoseconds > 0, "One processor: no loop lingers.");

    private static EventLoopRegistration Echo(EventLoop loop, Pair pair)
    {
        byte[] taken = new byte[1];
        return loop.Register(
            pair.Here,
            EventLoopInterest.Read,
            (_, _) => pair.Here.Write(taken.AsSpan(0, (int)Libc.Read(pair.Here.Number, taken))),
            null);
    }

    private static void SpinUntil(Func<bool> condition)
    {
        for (long started = Stopwatch.GetTimestamp(); !condition();)
        {
            Assert.True(Stopwatch.GetElapsedTime(started) < Deadline.Time, "Nothing came back.");
        }
    }

    private bool RoundTripsMakeItLinger()
    {
        for (int i = 0; i < 100; i++)
        {
            RoundTrip();
        }

        return Loop.Stats.Lingers > Enough;
    }

    /// <summary>Never sleeps: a peer that does so is no peer that answers soon.</summary>
    private void RoundTrip()
    {
        _pair.There.Write(1);
        SpinUntil(() => Libc.Read(_pair.There.Number, _answer) == 1);
    }
}
