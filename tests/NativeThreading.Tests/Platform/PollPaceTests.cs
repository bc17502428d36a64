using NativeThreading.Platform;
using NativeThreading.Tests.Support;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Platform;

/// <summary>
/// When a thread that polls yields. The times are made up. Pools of other tests poll at the same time and lose processors, or do not, so that
/// what is remembered for the process is waited for.
/// </summary>
public sealed class PollPaceTests
{
    private static readonly long s_free = SpinTuning.Ticks(SpinTuning.FreePollingNs);
    private static readonly long s_lostCpu = SpinTuning.Ticks(SpinTuning.LostCpuNs);

    [Theory]
    [CombinatorialBooleans]
    public void T60_YieldsOnceItHasPolledFreely_WhereOthersWantTheProcessor(bool polledFreely, bool crowded) =>
        Assert.Equal(polledFreely && crowded, SpinRule.Yields(polledFreely, crowded));

    [Fact]
    public void LostProcessor_MakesLaterPollsYield_AfterTheirFreeTime() => Deadline.Until(
        static () =>
        {
            LoseAProcessor();
            Assert.False(YieldsAt(s_free - 1));
            return YieldsAt(s_free);
        },
        "a poll after a lost processor yields");

    [Fact]
    public void LostProcessor_IsForgotten()
    {
        LoseAProcessor();
        Deadline.Until(
            static () => Enumerable.Range(0, SpinTuning.CrowdedPolls + 1).Any(static _ => !YieldsAt(s_free)), "undisturbed polls do not yield");
    }

    [Fact]
    public void YieldInPlaceOfPolls_RestsAfterTwoLongOnes_UnlessTheySavedWakes()
    {
        long wake = SpinTuning.Ticks(SpinTuning.UsualWakeNs), rest = SpinTuning.Ticks(SpinTuning.YieldRestNs), free = SpinTuning.YieldWakes * wake;
        YieldRule.Note(now: 0, free + wake, saved: 0); // so early that the process's own yields do not rest
        YieldRule.Note(now: 0, free + wake, saved: 0);
        Assert.False(YieldRule.MayYield(rest - 1));
        Assert.True(YieldRule.MayYield(rest));

        YieldRule.Note(now: rest, free, saved: 0);
        YieldRule.Note(now: rest, free + (100 * wake), saved: 100);
        Assert.True(YieldRule.MayYield(rest));

        for (int i = 0; i < SpinTuning.YieldMemory; i++)
        {
            YieldRule.Note(now: rest, free, saved: 0);
        }

        YieldRule.Note(now: rest, free + wake, saved: 0); // the only one that is remembered
        Assert.True(YieldRule.MayYield(rest));
        YieldRule.Note(now: rest, free + wake, saved: 0);
        Assert.False(YieldRule.MayYield(rest + 1));
    }

    /// <summary>Two looks far apart.</summary>
    private static void LoseAProcessor() => _ = YieldsAt(s_lostCpu + 1);

    private static bool YieldsAt(long now) => new PollPace(0).Yields(now);
}
