using System.Text.RegularExpressions;
using NativeThreading.Packaging.Tests.Support;

namespace NativeThreading.Packaging.Tests.Content;

/// <summary>The packages are small, and docs/contributors/package-sizes.md says how small.</summary>
public sealed partial class PackageSizeTests(PackageFeed feed)
{
    private const long MostOfCore = 6_000_000;

    /// <summary>What is smaller need not be listed.</summary>
    private const long Listed = 10_000;

    /// <summary>By so much may the page be wrong: it is written once, and the code grows.</summary>
    private const double Tolerance = 0.2;

    [Fact]
    public void Core_TakesSixMegabytesAtMost() => Assert.InRange(SizeOf("NativeThreading"), 1, MostOfCore);

    [Fact]
    public void ThePageListsWhatIsInTheCore()
    {
        Dictionary<string, long> page = Page();
        using PackageFile package = feed.Open("NativeThreading");
        Dictionary<string, long> actual = package.Entries.ToDictionary(entry => entry, entry => (long)package.Read(entry).Length);
        AssertTold(actual.Where(entry => entry.Value >= Listed).Append(KeyValuePair.Create("NativeThreading.nupkg", SizeOf("NativeThreading"))), page);

        // What is not there is not listed, but for platforms whose compiler this machine lacks.
        string[] elsewhere = [.. NativePlatforms.Compilers.Keys.Except(NativePlatforms.Expected).Select(platform => $"runtimes/{platform}/")];
        Assert.DoesNotContain(page.Keys.Where(entry => entry.Contains('/', StringComparison.Ordinal)).Except(actual.Keys),
            entry => !Array.Exists(elsewhere, folder => entry.StartsWith(folder, StringComparison.Ordinal)));
    }

    [Fact]
    public void ThePageListsThePackages() =>
        AssertTold(PackageFeed.Ids.Append(PackageFeed.Tool).Select(id => KeyValuePair.Create($"{id}.nupkg", SizeOf(id))), Page());

    private static void AssertTold(IEnumerable<KeyValuePair<string, long>> actual, Dictionary<string, long> page) =>
        Assert.All(actual, entry =>
        {
            string row = $"| `{entry.Key}` | {Math.Round(entry.Value / 1000.0)} |";
            Assert.True(page.TryGetValue(entry.Key, out long told), $"docs/contributors/package-sizes.md lacks {row}");
            Assert.True(Math.Abs(told - entry.Value) <= Math.Max(1_000, Tolerance * entry.Value), $"docs/contributors/package-sizes.md says {told / 1000}; it should say {row}");
        });

    private long SizeOf(string id) => new FileInfo(Path.Combine(feed.Location, $"{id}.{feed.Version}.nupkg")).Length;

    /// <summary>The rows of the page: an entry or a package, and its size in bytes.</summary>
    private static Dictionary<string, long> Page() =>
        Row().Matches(File.ReadAllText(Path.Combine(PackageFeed.RepositoryRoot, "docs", "contributors", "package-sizes.md")))
            .ToDictionary(row => row.Groups[1].Value, row => 1_000 * long.Parse(row.Groups[2].Value, null));

    [GeneratedRegex(@"^\| `([^`]+)` \| (\d+) \|", RegexOptions.Multiline)]
    private static partial Regex Row();
}
