using System.Reflection;
using Xunit.v3;

namespace NativeThreading.Tests.Support;

/// <summary>
/// The tests of this project, of this class, or this test, are skipped on systems that lack what they use, with the reason: Linux has everything. What the library
/// itself lacks elsewhere is a matter of <c>NeedsNativeCore</c>.
/// </summary>
/// <param name="what">One of the constants.</param>
[AttributeUsage(AttributeTargets.Assembly | AttributeTargets.Class | AttributeTargets.Method)]
public sealed class NeedsSystemAttribute(string what) : BeforeAfterTestAttribute
{
    /// <summary>Files of /proc, which only Linux has.</summary>
    public const string Proc = "/proc";

    /// <summary>Functions, limits and tools of Linux: rlimits by number, taskset, preloaded libraries, signals by name.</summary>
    public const string Linux = "functions and tools of Linux";

    /// <summary>sh, bash and what scripts call.</summary>
    public const string Shell = "a Unix shell";

    public static bool IsMet(string what) => OperatingSystem.IsLinux() || (what == Shell && !OperatingSystem.IsWindows());

    /// <summary>For constructors, which run before <see cref="Before"/>, and for helpers that several tests share.</summary>
    public static void SkipUnlessMet(string what) => Assert.SkipUnless(IsMet(what), $"This system lacks {what}.");

    public override void Before(MethodInfo methodUnderTest, IXunitTest test)
    {
        if (!IsMet(what))
        {
            HangWatchAttribute.End(test);
        }

        SkipUnlessMet(what);
    }
}
