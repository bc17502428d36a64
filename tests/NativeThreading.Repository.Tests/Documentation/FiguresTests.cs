using System.Text.Json;
using NativeThreading.Repository.Tests.Scripts;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The figures of pages that people write, and the pages of benchmarks/results, are what benchmarks/charts writes from the results.</summary>
[BesideOthers]
public sealed class FiguresTests
{
    private const string Script = "benchmarks/charts/render.mjs";

    [Fact]
    public async Task EveryPage_HasTheFiguresOfTheResults()
    {
        CommandLine.Result result = await CheckAsync(SourceTree.Root);
        Assert.True(result.ExitCode == 0 && result.Error.Length == 0, $"Run node {Script} --tables-only.\n{result}");
    }

    [Fact]
    public void EveryTableThatWasMeasured_HasRowsOnItsPage() => Assert.All(
        SourceTree.Files("benchmarks/results", "*.json").Where(static file => Path.Exists(Path.ChangeExtension(file, ".md"))),
        static file =>
        {
            using JsonDocument results = JsonDocument.Parse(File.ReadAllText(file));
            int rows = results.RootElement.TryGetProperty("rows", out JsonElement measured) ? measured.GetArrayLength() : 0;
            Assert.True(rows == 0 || File.ReadAllText(Path.ChangeExtension(file, ".md")).Contains("\n| --- |", StringComparison.Ordinal), file);
        });

    [Theory]
    [InlineData("README.md")]
    [InlineData("docs/explanation/performance.md")]
    [InlineData("benchmarks/results/quwi.md")]
    public async Task FigureThatTheResultsDoNotHave_IsFound(string page)
    {
        using var copy = new ScriptRepository(Script);
        string[] pages = ["README.md", Path.Combine("docs", "explanation", "performance.md"), Path.Combine("docs", "explanation", "when-to-use-it.md")];
        foreach (string file in SourceTree.Files("benchmarks/charts", "*.mjs").Concat(SourceTree.Files("benchmarks/results", "*.*"))
            .Select(file => Path.GetRelativePath(SourceTree.Root, file)).Where(file => !file.Contains("node_modules", StringComparison.Ordinal)).Concat(pages))
        {
            copy.Write(file, await File.ReadAllTextAsync(Path.Combine(SourceTree.Root, file), TestContext.Current.CancellationToken));
        }

        string text = await File.ReadAllTextAsync(copy.At(page), TestContext.Current.CancellationToken);
        int end = text.IndexOf("<!-- end -->", StringComparison.Ordinal);
        copy.Write(page, text.Insert(end < 0 ? text.Length : end, "9"));

        CommandLine.Result result = await CheckAsync(copy.Root);

        Assert.Equal(1, result.ExitCode);
        Assert.Equal($"{page} is not what the results say", result.Error.Trim());
    }

    private static Task<CommandLine.Result> CheckAsync(string root)
    {
        Assert.SkipUnless((Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator).Any(folder => File.Exists(Path.Combine(folder, "node"))), "Needs node.");
        return CommandLine.RunAsync("node", [Script, "--tables-only", "--check"], root, Deadline.Time);
    }
}
