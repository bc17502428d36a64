using System.Text.RegularExpressions;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Sources;

/// <summary>An administrator may set the machine's clock: nothing in the library reads it.</summary>
public sealed partial class ClockTests
{
    [Fact]
    public void NoSourceReadsTheTimeOfDay()
    {
        string[] sources =
        [
            .. SourceTree.Sources,
            .. Directory.EnumerateFiles(Path.Combine(SourceTree.Root, "native", "src"), "*.?", SearchOption.AllDirectories),
        ];
        Assert.Contains(sources, source => Path.GetFileName(source) == "linux.c");
        Assert.DoesNotContain(sources, source => TimeOfDay().IsMatch(File.ReadAllText(source)));
    }

    // TimeProvider's own GetUtcNow is the framework's, for code that asks a loop's provider for the time of day.
    [GeneratedRegex(@"CLOCK_REALTIME|gettimeofday|GetSystemTime|\btime\(NULL\)|DateTime(Offset)?\.(Utc)?Now|pthread_cond_timedwait\(")]
    private static partial Regex TimeOfDay();
}
