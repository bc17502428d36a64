using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Scripts;

/// <summary>
/// .ci/compatibility in a repository of its own, with a dotnet that packs what the test says: what it compares with what, and that it
/// takes nothing for compared that is not. What breaks a package is for the packaging tests.
/// </summary>
[BesideOthers]
public sealed class CompatibilityTests : IDisposable
{
    private readonly ScriptRepository _repository = new(".ci/compatibility");

    public void Dispose() => _repository.Dispose();

    [Fact]
    public async Task WithoutTheCommitBefore_SaysSoInOneLine_AndPasses()
    {
        await PackAsync("exit 1");
        await CommitSourceAsync("1");
        await PassesAsync("There is no commit before this one here");

        await CommitSourceAsync("2");
        await _repository.RunAsync("git clone -q --depth 1 file://$PWD shallow");
        CommandLine.Result result = await CommandLine.RunAsync(_repository.At("shallow/.ci/compatibility"), [], _repository.Root, Deadline.Time);
        Assert.Equal((0, 1), (result.ExitCode, result.Output.TrimEnd().Split('\n').Length));
        Assert.StartsWith("There is no commit before this one here", result.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task WhereNoSourceHasChanged_NothingIsMade()
    {
        await PackAsync("exit 1");
        await CommitSourceAsync("1");
        _repository.Write("docs/page.md", "");
        await _repository.CommitAsync();
        await PassesAsync("No source of a package has changed");

        // A file that git does not know yet is a source as well.
        _repository.Write("src/New.cs", "");
        await FailsAsync(2, "cannot be made");
    }

    [Fact]
    public async Task PackageThatHasGone_IsMissed_UntilTheChangelogTells()
    {
        await PackAsync("package One; [ $before = false ] || package Other.Package; echo 'One: compatible'");
        await CommitSourceAsync("1");
        await CommitSourceAsync("2");
        await FailsAsync(1, "The package Other.Package is no longer made.");

        _repository.Write("docs/reference/changelog.md", "- **breaking**: Other.Package is part of One.\n");
        await PassesAsync("One: compatible");
    }

    [Theory]
    [InlineData("echo 'One: compatible'", "One.More")]
    [InlineData("echo 'One: new'; echo 'One.More: compatible'", "One")]
    public async Task PackageThatNobodyHasCompared_Fails(string said, string notCompared)
    {
        await PackAsync($"package One; package One.More; {said}");
        await CommitSourceAsync("1");
        await CommitSourceAsync("2");
        await FailsAsync(2, $"{notCompared} was not compared:");
    }

    [Fact]
    public async Task OlderPackages_AreThoseOfTheCommitBefore_OrOfTheOneThatIsNamed_AndMadeOnce()
    {
        await PackAsync("""[ $before = false ] || cat "$(dirname "$solution")/Source.cs" >> bin/made; package One; echo 'One: compatible'""");
        await CommitSourceAsync("1");
        await CommitSourceAsync("2");
        await CommitSourceAsync("3");
        await PassesAsync("The packages keep what those of");
        await PassesAsync("The packages keep what those of");
        await PassesAsync("The packages keep what those of", "HEAD~2");
        await FailsAsync(2, "no-such-commit is no commit here", "no-such-commit");
        Assert.Equal("21", File.ReadAllText(_repository.At("bin/made")));
    }

    /// <summary>A dotnet that packs: <c>package</c> makes one, <c>$before</c> tells whether those of the older commit are to be made.</summary>
    private Task PackAsync(string pack) => _repository.DotnetAsync($$"""
        solution=$2 before=true
        [ "$solution" != src/Packages.slnf ] || before=false
        while [ "$1" != -o ]; do shift; done
        output=$2
        package() { mkdir -p "$output" && touch "$output/$1.$($before && echo 0.0.0-before || echo 1.0.0).nupkg"; }
        {{pack}}
        """);

    private Task CommitSourceAsync(string source)
    {
        _repository.Write("src/Packages.slnf", "");
        _repository.Write("src/Source.cs", source);
        return _repository.CommitAsync();
    }

    private async Task PassesAsync(string expected, params string[] arguments)
    {
        CommandLine.Result result = await _repository.RunScriptAsync(arguments);
        Assert.True(result.ExitCode == 0, result.ToString());
        Assert.Contains(expected, result.Output, StringComparison.Ordinal);
    }

    private async Task FailsAsync(int exitCode, string expected, params string[] arguments)
    {
        CommandLine.Result result = await _repository.RunScriptAsync(arguments);
        Assert.True(result.ExitCode == exitCode, result.ToString());
        Assert.Contains(expected, result.Output + result.Error, StringComparison.Ordinal);
    }
}
