namespace NativeThreading.Scheduling;

/// <summary>How many threads a pass may start beyond <c>MaxThreads</c>. What waits behind blocked items is expected to block too,
/// so a pass starts several at once: hundreds of blocked items then take a few passes.</summary>
/// <remarks>Only what this pass's own look has found counts. Threads that an earlier pass started are not asked for: one that is late to
/// start would hold up all others.</remarks>
internal static class PassSize
{
    /// <summary>How many threads may be added. The more make progress, the fewer: a busy pool only needs replacements.</summary>
    public static int Beyond(int maxThreads, int blocked, int gettingOn) =>
        (int)((long)StarvationTuning.StartsPerBlocked * blocked * Math.Max(maxThreads - gettingOn, 0) / maxThreads);
}
