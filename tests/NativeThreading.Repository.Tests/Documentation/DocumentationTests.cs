using System.Text.RegularExpressions;
using NativeThreading.Tests.Snippets;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>
/// The documentation's code is code that runs: each block of a page stands, but for its indentation, in one of the files
/// <c>tests/**/*Snippets.cs</c>, in whichever test project has the references it needs.
/// </summary>
public sealed partial class DocumentationTests
{
    private static readonly Dictionary<string, string> s_snippets = SourceTree.Files("tests", "*Snippets.cs")
        .ToDictionary(file => file, file => Normalized(File.ReadAllText(file)));

    public static TheoryData<string, string> Blocks()
    {
        var blocks = new TheoryData<string, string>();
        foreach ((string page, string block) in DocumentationPages.Blocks)
        {
            blocks.Add(page, block);
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
        foreach (string page in DocumentationPages.All)
        {
            int opened = File.ReadAllLines(page).Count(line => line.TrimStart().StartsWith("```cs", StringComparison.OrdinalIgnoreCase));
            Assert.True(opened == DocumentationPages.BlocksOf(page).Length, $"{page}: {opened} blocks begin with ```csharp, {DocumentationPages.BlocksOf(page).Length} are found.");
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

    /// <summary>By a project of the solution that leaves nothing out and compares the usings, too.</summary>
    private static bool IsCompiled(string file)
    {
        string solution = File.ReadAllText(Path.Combine(SourceTree.Root, "ThreadPool.sln"));
        string name = Path.GetRelativePath(Path.Combine(SourceTree.Root, "tests"), file).Split(Path.DirectorySeparatorChar)[0];
        string project = File.ReadAllText(Path.Combine(SourceTree.Root, "tests", name, $"{name}.csproj"));
        return solution.Contains($"\\{name}.csproj", StringComparison.Ordinal)
            && !project.Contains("Compile Remove", StringComparison.Ordinal)
            && project.Contains("Snippets.targets", StringComparison.Ordinal);
    }

    private static string Normalized(string text) =>
        $"\n{string.Join('\n', DocumentationPages.LinesOf(text).Select(line => line.Text))}\n";

    [GeneratedRegex(@"^\nusing [\w.]+;\n")]
    private static partial Regex Directive();
}
