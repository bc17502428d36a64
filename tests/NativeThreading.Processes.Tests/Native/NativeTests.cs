using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Native;

/// <summary>Each program that ctest knows as a test of its own, so that <c>dotnet test</c> is the whole test run.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Library)]
public sealed class NativeTests(NativeTestPrograms programs) : IClassFixture<NativeTestPrograms>
{
    /// <summary>None elsewhere: macOS has no C tests, and Windows may have no C library.</summary>
    public static TheoryData<string> Names() => new(NeedsSystemAttribute.IsMet(NeedsSystemAttribute.Linux) ? NativeTestPrograms.List() : []);

    [Theory(SkipTestWithoutData = true)]
    [MemberData(nameof(Names))]
    public async Task T99_NativeTestPasses(string name)
    {
        NativeTestPrograms.Outcome outcome = await programs.OutcomeAsync(name);
        Assert.True(outcome.HasPassed, outcome.Output);
    }
}
