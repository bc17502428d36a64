namespace NativeThreading.Roster;

/// <summary>
/// How many more may run than the pool's number because those before them were found blocked: hundreds of blocked items are
/// healed in a few passes instead of one by one.
/// </summary>
/// <remarks>
/// Each pass is judged by what its own look has found. It takes no account of who was put to work together: a thread that is
/// late to start, or to wait, says nothing about the others, and used to hold all of them up.
/// </remarks>
internal static class PassSize
{
    /// <summary>
    /// How many may be added to those that run, apart from the pool's number. The more of that number get on, the less: a
    /// pool that is busy needs replacements only.
    /// </summary>
    public static int Beyond(int maxThreads, int blocked, int gettingOn) =>
        (int)((long)Mechanisms.If(Mechanisms.StartsAhead, StarvationTuning.StartsPerBlocked) * blocked * Math.Max(maxThreads - gettingOn, 0) / maxThreads);
}
