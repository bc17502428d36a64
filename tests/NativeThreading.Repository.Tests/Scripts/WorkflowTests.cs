using System.Text.RegularExpressions;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Scripts;

/// <summary>
/// The workflow that runs on machines which are not at hand: it calls the README's commands, on all systems that docs/reference/platforms.md names. Whether it
/// is valid is checked by a step of .ci/run, which needs npm.
/// </summary>
public sealed partial class WorkflowTests
{
    private static readonly string s_workflow = Read(".github", "workflows", "ci.yml");

    [Fact]
    public void BothCommandsOfTheReadme_AreCalled()
    {
        string[] commands = [.. Command().Matches(Read("README.md")).Select(static match => match.Groups[1].Value)];
        Assert.Equal(2, commands.Length);
        Assert.All(commands, command => Assert.Contains($"run: {command}", s_workflow, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("ubuntu-x64")]
    [InlineData("ubuntu-arm64")]
    [InlineData("windows-x64")]
    [InlineData("windows-arm64")]
    [InlineData("macos-x64")]
    [InlineData("macos-arm64")]
    [InlineData("alpine-x64")]
    public void EverySystem_IsThereOnce(string system) => Assert.Single(Regex.Matches(s_workflow, $"system: {Regex.Escape(system)},"));

    [Fact]
    public void EveryAction_HasAVersion() =>
        Assert.All(Uses().Matches(s_workflow), static use => Assert.Matches("^actions/[a-z-]+@v[0-9]+$", use.Groups[1].Value));

    [Fact]
    public void TheWorkflowIsCheckedByAStepOfTheCheck() => Assert.Contains("cd .ci/workflow && npm ci", Read(".ci", "run"), StringComparison.Ordinal);

    private static string Read(params string[] path) => File.ReadAllText(Path.Combine([SourceTree.Root, .. path]));

    [GeneratedRegex(@"^    (dotnet (?:run|test) .*?)(?: +#.*)?$", RegexOptions.Multiline)]
    private static partial Regex Command();

    [GeneratedRegex(@"uses: (\S+)")]
    private static partial Regex Uses();
}
