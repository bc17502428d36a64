namespace NativeThreading.Platform;

/// <summary>How a thread polls for what another one is about to do. Between two looks it pauses; it yields instead once it has
/// polled freely, if others want its processor, for then what it waits for may need that very processor (T60). The same rule in C
/// is native/src/spin.h, which says what of it is measured.</summary>
/// <remarks>
/// Who waits for what decides the two answers, with the numbers of <see cref="SpinTuning"/>:
/// <list type="table">
/// <listheader><term>who</term><description>polls freely for; others want the processor</description></listheader>
/// <item><term>a lock's waiter (<see cref="UninterruptedSpin"/>)</term><description>LockRounds, doubling; always: the holder was pre-empted</description></item>
/// <item><term>a lingering worker, and whoever waits for a completion (<see cref="PollPace"/>)</term><description>FreePollingNs; where a processor was lost lately</description></item>
/// <item><term>a thief at another worker's gate</term><description>AskPolls, GateExitPolls; it goes another way instead, and yields while the owner gives to it</description></item>
/// </list>
/// </remarks>
internal static class SpinRule
{
    /// <summary>The rule.</summary>
    public static bool Yields(bool polledFreely, bool crowded) => polledFreely && crowded;

    /// <summary>Between two looks; a pause is so many polls long.</summary>
    public static void Pause(bool yields, int polls = 1)
    {
        if (yields)
        {
            Thread.Yield();
        }
        else
        {
            Thread.SpinWait(polls);
        }
    }
}
