using System.Text.RegularExpressions;

namespace NativeThreading.Tests.Native;

/// <summary>Runs every program that ctest knows as a test of its own, so that <c>dotnet test</c> is the whole test run.</summary>
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

        CommandLine.Result result = await NativeTestPrograms.RunAsync(
            Deadline, "ctest", "--tests-regex", $"^{Regex.Escape(name)}$", "--no-tests=error", "--output-on-failure", "--timeout", "240");

        Assert.True(result.ExitCode == 0, result.ToString());
        Assert.False(result.Output.Contains("***Skipped", StringComparison.Ordinal), result.ToString());
    }
}
