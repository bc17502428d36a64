using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Native;

/// <summary>T99: the bridge to ctest, where the outcome is known to be bad.</summary>
public sealed class CtestBridgeTests : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("nth-ctest-");

    public void Dispose() => _directory.Delete(recursive: true);

    [Theory]
    [InlineData("add_test(it true)", true)]
    [InlineData("add_test(it false)", false)]
    [InlineData("add_test(it ./no-such-program)", false)]
    [InlineData("add_test(it sleep 30)\nset_tests_properties(it PROPERTIES TIMEOUT 1)", false)]
    [InlineData("add_test(it true)\nset_tests_properties(it PROPERTIES DISABLED TRUE)", false)]
    [InlineData("add_test(it sh -c \"exit 4\")\nset_tests_properties(it PROPERTIES SKIP_RETURN_CODE 4)", false)]
    [InlineData("add_test(another true)", false)]
    public async Task T99_NativeTestThatDoesNotPass_IsAFailure(string definition, bool passes) =>
        Assert.Equal(passes, (await RunAsync(definition)).GetValueOrDefault("it").HasPassed);

    [Fact]
    public async Task T99_ARunWithoutTests_IsAFailure() => await Assert.ThrowsAnyAsync<Exception>(() => RunAsync(""));

    private Task<Dictionary<string, NativeTestPrograms.Outcome>> RunAsync(string definition)
    {
        File.WriteAllText(Path.Combine(_directory.FullName, "CTestTestfile.cmake"), definition + "\n");
        return NativeTestPrograms.RunAsync(_directory.FullName);
    }

    [Fact]
    public void T99_TheBuildScriptTurnsEveryExitCodeIntoAFailure()
    {
        string script = File.ReadAllText(Path.Combine(SourceTree.Root, "build.cake"));
        Assert.Equal(1, script.Split("StartProcess(").Length - 1); // one place starts processes, and it throws
        Assert.Contains("if (exitCode != 0)", script, StringComparison.Ordinal);
    }
}
