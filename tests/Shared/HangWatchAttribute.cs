using System.Collections.Concurrent;
using System.Reflection;
using Xunit.v3;

namespace NativeThreading.Tests.Support;

/// <summary>
/// The last resort behind <see cref="Deadline"/>: a test that hangs where it has none (a pool that is disposed with a
/// stranded item in it) ends the run and is named.
/// </summary>
[AttributeUsage(AttributeTargets.Assembly)]
public sealed class HangWatchAttribute : BeforeAfterTestAttribute
{
    // Longer than what any single test may take, the longest of which run C programs or soak.
    private static readonly TimeSpan s_limit = TimeSpan.FromMinutes(Soak.Rounds(3));

    // Of each test that runs: some run in parallel.
    private static readonly ConcurrentDictionary<string, Timer> s_timers = new();

    public override void Before(MethodInfo methodUnderTest, IXunitTest test) => s_timers[test.UniqueID] = new Timer(
        static name => Environment.FailFast($"{name} has not ended within {s_limit}."),
        test.TestDisplayName,
        s_limit,
        Timeout.InfiniteTimeSpan);

    public override void After(MethodInfo methodUnderTest, IXunitTest test) => End(test);

    /// <summary>For code that skips a test that the watch has started: no <see cref="After"/> follows then.</summary>
    public static void End(IXunitTest test)
    {
        if (s_timers.TryRemove(test.UniqueID, out Timer? timer))
        {
            timer.Dispose();
        }
    }
}
