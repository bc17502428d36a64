using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Snippets;

/// <summary>A reader who copies a block of a page into a file has all usings that the block needs: those it shows, and the SDK's implicit ones.</summary>
[BesideOthers]
public sealed class SnippetUsingsTests
{
    private static readonly Lazy<SnippetUsings> s_usings = new();

    [Fact]
    public void EachBlock_ShowsTheUsingsItNeeds()
    {
        int found = 0;
        var failures = new List<string>();
        foreach ((string page, string block) in DocumentationPages.Blocks)
        {
            if (s_usings.Value.Missing(block) is { } missing)
            {
                found++;
                if (missing.Length != 0)
                {
                    failures.Add($"{page}:\n{block}\n--- needs\n{string.Join('\n', missing)}");
                }
            }
        }

        Assert.NotEqual(0, found);
        Assert.True(failures.Count == 0, string.Join("\n\n", failures));
    }

    [Fact]
    public void AUsingThatIsLeftOut_IsFound()
    {
        // Somewhere in this project is a block that shows one that it needs.
        Assert.Contains(DocumentationPages.Blocks, row =>
        {
            string[] shown = [.. row.Block.Split('\n').TakeWhile(line => line.StartsWith("using ", StringComparison.Ordinal) && line.EndsWith(';'))];
            string without = string.Join('\n', row.Block.Split('\n')[shown.Length..]);
            return shown.Length != 0 && s_usings.Value.Missing(without) is { Length: > 0 } missing && missing.Intersect(shown).Any();
        });
    }
}
