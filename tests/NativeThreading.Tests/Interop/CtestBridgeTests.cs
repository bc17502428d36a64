using NativeThreading.Tests.Native;

namespace NativeThreading.Tests.Interop;

/// <summary>
/// T99: the bridge to ctest believes the exit code. This runs its command line where the outcome is known to be bad.
/// </summary>
public sealed class CtestBridgeTests : IDisposable
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromMinutes(1);

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("nth-ctest-");

    public void Dispose() => _directory.Delete(recursive: true);

    [Theory]
    [InlineData("add_test(it true)", true)]
    [InlineData("add_test(it false)", false)]
    [InlineData("add_test(it ./no-such-program)", false)]
    [InlineData("add_test(it sleep 30)\nset_tests_properties(it PROPERTIES TIMEOUT 1)", false)]
    [InlineData("add_test(another true)", false)]
    public async Task T99_NativeTestThatDoesNotPass_IsAFailure(string definition, bool passes)
    {
        await File.WriteAllTextAsync(Path.Combine(_directory.FullName, "CTestTestfile.cmake"), definition + "\n");

        CommandLine.Result result = await CommandLine.RunAsync(
            "ctest", ["--tests-regex", "^it$", "--no-tests=error", "--output-on-failure"], _directory.FullName, s_deadline);

        Assert.True(passes == (result.ExitCode == 0), result.Output);
    }

    [Theory]
    [InlineData("--no-tests=error")]
    [InlineData("result.ExitCode == 0")]
    public void T99_TheBridgeChecksThat(string text) =>
        Assert.Contains(text, File.ReadAllText(Path.Combine(Repository.Root, "tests", "NativeThreading.Tests", "Native", "NativeTests.cs")), StringComparison.Ordinal);

    [Fact]
    public void T99_TheBuildScriptTurnsEveryExitCodeIntoAFailure()
    {
        string script = File.ReadAllText(Path.Combine(Repository.Root, "build.cake"));
        Assert.Equal(1, script.Split("StartProcess(").Length - 1); // one place starts processes, and it throws
        Assert.Contains("if (exitCode != 0)", script, StringComparison.Ordinal);
    }
}
