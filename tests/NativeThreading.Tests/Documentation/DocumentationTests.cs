using System.Text.RegularExpressions;
using NativeThreading.Tests.Interop;

namespace NativeThreading.Tests.Documentation;

/// <summary>
/// The documentation's code is code that runs: each block of a page stands, but for its indentation, in one of the files
/// <c>tests/**/*Snippets.cs</c>, in whichever test project has the references it needs.
/// </summary>
public sealed partial class DocumentationTests
{
    private static readonly Dictionary<string, string> s_snippets = Files("tests", "*Snippets.cs")
        .ToDictionary(file => file, file => Normalized(File.ReadAllText(file)));

    private static string[] Pages =>
        [Path.Combine(Repository.Root, "README.md"), .. Files("docs", "*.md"), .. Files("src", "*.md"), .. Files("samples", "*.md")];

    public static TheoryData<string, string> Blocks()
    {
        var blocks = new TheoryData<string, string>();
        foreach (string page in Pages)
        {
            foreach (string block in BlocksOf(page))
            {
                blocks.Add(Path.GetRelativePath(Repository.Root, page), block);
            }
        }

        return blocks;
    }

    [Theory]
    [MemberData(nameof(Blocks))]
    public void BlockStandsInSnippetsThatRun(string page, string block) =>
        Assert.True(s_snippets.Values.Any(snippets => Contains(snippets, block)), $"In no tests/**/*Snippets.cs, from {page}:\n{block}");

    [Fact]
    public void EveryBlockIsFound()
    {
        foreach (string page in Pages)
        {
            int opened = File.ReadAllLines(page).Count(line => line.TrimStart().StartsWith("```cs", StringComparison.OrdinalIgnoreCase));
            Assert.True(opened == BlocksOf(page).Length, $"{page}: {opened} blocks begin with ```csharp, {BlocksOf(page).Length} are found.");
        }

        Assert.Contains(Blocks(), row => row.Data.Item2.Contains("TryAccept", StringComparison.Ordinal));
    }

    [Fact]
    public void EverySnippetsFileIsCompiledAndRun() =>
        Assert.All(s_snippets, snippets => Assert.True(
            IsCompiled(snippets.Key)
            && snippets.Value.Contains("\n[Fact]\n", StringComparison.Ordinal)
            && !snippets.Value.Contains("\n#if", StringComparison.Ordinal),
            snippets.Key));

    [Fact]
    public void Normalized_KeepsEverythingButIndentationAndEmptyLines()
    {
        Assert.Equal("\na  b\nc\n", Normalized("    a  b  \n\n  c"));
        Assert.DoesNotContain(s_snippets.Values, snippets => Contains(snippets, "no such line in a file"));
    }

    [Fact]
    public void UsingDirectives_StandAtTheTopOfTheFile()
    {
        string file = Normalized("using A.B;\nusing C;\nclass D\n{\nint d = 1;\n}");
        Assert.True(Contains(file, "using C;\n\nint d = 1;"));
        Assert.False(Contains(file, "using E;\n\nint d = 1;"));
        Assert.False(Contains(file, "using C;\n\nint d = 2;"));
    }

    /// <summary>Directives with which a block begins are at the top of the file, apart from the rest.</summary>
    private static bool Contains(string snippets, string block)
    {
        string text = Normalized(block);
        for (Match match = Directive().Match(text); match.Success; match = Directive().Match(text))
        {
            if (!snippets.Contains(match.Value, StringComparison.Ordinal))
            {
                return false;
            }

            text = text[(match.Length - 1)..];
        }

        return snippets.Contains(text, StringComparison.Ordinal);
    }

    private static bool IsCompiled(string file)
    {
        string solution = File.ReadAllText(Path.Combine(Repository.Root, "ThreadPool.sln"));
        string project = Path.GetRelativePath(Path.Combine(Repository.Root, "tests"), file).Split(Path.DirectorySeparatorChar)[0];
        return solution.Contains($"\\{project}.csproj", StringComparison.Ordinal)
            && !File.ReadAllText(Path.Combine(Repository.Root, "tests", project, $"{project}.csproj")).Contains("Compile Remove", StringComparison.Ordinal);
    }

    private static IEnumerable<string> Files(string folder, string pattern) => Directory
        .EnumerateFiles(Path.Combine(Repository.Root, folder), pattern, SearchOption.AllDirectories)
        .Where(file => !file.Split(Path.DirectorySeparatorChar).Any(part => part is "obj" or "bin"));

    private static string[] BlocksOf(string page) => [.. Block().Matches(File.ReadAllText(page)).Select(match => match.Groups[1].Value)];

    private static string Normalized(string text) =>
        $"\n{string.Join('\n', text.Split('\n', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))}\n";

    [GeneratedRegex(@"```csharp\n(.*?)\n\s*```", RegexOptions.Singleline)]
    private static partial Regex Block();

    [GeneratedRegex(@"^\nusing [\w.]+;\n")]
    private static partial Regex Directive();
}
