namespace NativeThreading.Tests.Native;

/// <summary>Runs every program that ctest knows as a test of its own, so that <c>dotnet test</c> is the whole test run.</summary>
[Collection(nameof(NativeTests))]
public sealed class NativeTests(NativeTestPrograms programs) : IClassFixture<NativeTestPrograms>
{
    // Longer than any single program's own ctest timeout; reached only by a hang that ctest failed to end.
    private static readonly TimeSpan Deadline = TimeSpan.FromMinutes(5);

    public static TheoryData<string> Names() => new(NativeTestPrograms.List());

    [Theory]
    [MemberData(nameof(Names))]
    public async Task T99_NativeTestPasses(string name)
    {
        await programs.Built;

        var result = await CommandLine.RunAsync(
            "ctest", ["--tests-regex", $"^{name}$", "--no-tests=error", "--output-on-failure", "--timeout", "240"],
            NativeTestPrograms.BuildDirectory, Deadline);

        Assert.True(result.ExitCode == 0, result.Output);
        Assert.False(result.Output.Contains("***Skipped", StringComparison.Ordinal), result.Output);
    }
}

/// <summary>The C tests measure waits and races: nothing else runs beside them.</summary>
[CollectionDefinition(nameof(NativeTests), DisableParallelization = true)]
public sealed class NativeTestsCollection;
