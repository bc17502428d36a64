using System.Reflection;
using Xunit.v3;

namespace NativeThreading.Tests.Support;

/// <summary>
/// The tests of this class, or this test, are about what the native core alone has or can: skipped where the process runs on the
/// managed one (<c>NATIVETHREADING_CORE=managed</c>), and where the native one of this system has it not, and nowhere else.
/// </summary>
/// <param name="what">One of the constants: what the managed core lacks. docs/reference/platforms.md says each to its readers.</param>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method)]
public sealed class NeedsNativeCoreAttribute(string what) : BeforeAfterTestAttribute
{
    /// <summary>Sockets and pipes on a loop.</summary>
    public const string Descriptors = "loops without descriptors";

    /// <summary>The file, its exports, its failures, its system calls.</summary>
    public const string Library = "no native library";

    /// <summary>What the kernel tells of a thread: its time, its state, its delay, what it waits in.</summary>
    public const string KernelsEvidence = "only the thread states of .NET are known, not CPU times";

    /// <summary>Nice values.</summary>
    public const string Priorities = "no priorities";

    /// <summary>An affinity that changes while the process runs.</summary>
    public const string ChangingProcessors = "processors are counted once, at startup";

    /// <summary>Waits of microseconds.</summary>
    public const string ShortTimes = "waits of whole milliseconds";

    /// <summary>What the native core of Linux has, and that of another system leaves to the managed one. docs/reference/platforms.md says it of Windows.</summary>
    private static readonly string[] s_onLinuxAlone = [Descriptors, KernelsEvidence, ChangingProcessors, ShortTimes];

    /// <summary>Whether this process can have it.</summary>
    public static bool IsMet(string what) =>
        NativeThreadPool.Core == ThreadingCore.Native && (OperatingSystem.IsLinux() || !s_onLinuxAlone.Contains(what));

    /// <summary>For constructors, which run before <see cref="Before"/>.</summary>
    public static void SkipUnlessMet(string what) => Assert.SkipUnless(
        IsMet(what), $"{(NativeThreadPool.Core == ThreadingCore.Native ? "Native core elsewhere than on Linux" : "Managed core")}: {what}.");

    public override void Before(MethodInfo methodUnderTest, IXunitTest test)
    {
        if (!IsMet(what))
        {
            HangWatchAttribute.End(test);
        }

        SkipUnlessMet(what);
    }
}
