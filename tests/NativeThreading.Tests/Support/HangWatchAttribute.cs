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
    private static readonly TimeSpan s_limit = TimeSpan.FromMinutes(Soak.Rounds(6));

    private static string? s_test;

    private static readonly Timer s_timer = new(
        static _ => Environment.FailFast($"{Volatile.Read(ref s_test)} has not ended within {s_limit}."));

    public override void Before(MethodInfo methodUnderTest, IXunitTest test)
    {
        Volatile.Write(ref s_test, test?.TestDisplayName);
        s_timer.Change(s_limit, Timeout.InfiniteTimeSpan);
    }

    public override void After(MethodInfo methodUnderTest, IXunitTest test) =>
        s_timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
}
