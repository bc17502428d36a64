using System.Globalization;
using System.Text.RegularExpressions;

namespace NativeThreading.Tests.Interop;

/// <summary>docs/traps.md says where each known mistake is tested: every trap named here has a row, and every test it cites exists.</summary>
public sealed partial class TrapsDocumentTests
{
    private static readonly string[] s_rows =
        [.. File.ReadAllLines(Path.Combine(Repository.Root, "docs", "traps.md")).Where(line => Row().IsMatch(line))];

    [Fact]
    public void EveryTrapOfTheCoreHasOneRow()
    {
        // Those of the packages on top are added as their tests come.
        int[] core =
        [
            .. Enumerable.Range(1, 68), 69, 70, 71, 72, 73, 74, 75, 76, 77, 79, 81,
            82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 103, 104, 105, 106, 107, 108, 109,
            110, 111, 112, 113, 114, 116, 118, 128, 129, 130, 131, 132,
        ];
        int[] rows = [.. s_rows.Select(row => int.Parse(Row().Match(row).Groups[1].Value, CultureInfo.InvariantCulture))];
        Assert.Equal([], core.Except(rows));
        Assert.Equal(rows.Distinct().Order(), rows);
    }

    [Fact]
    public void EveryCitedTestExists()
    {
        List<string> missing = CitedTests.Missing(s_rows);
        Assert.True(missing.Count == 0, $"docs/traps.md cites tests that do not exist: {string.Join(", ", missing)}");
    }

    [Fact]
    public void EveryCitedModelExistsAndHasMutants()
    {
        string[] models = [.. s_rows.SelectMany(row => Model().Matches(row)).Select(match => match.Groups[1].Value).Distinct()];
        Assert.NotEmpty(models);
        Assert.All(models, model =>
            Assert.Contains("MUTANT_", File.ReadAllText(Path.Combine(Repository.Root, "native", "models", model)), StringComparison.Ordinal));
    }

    [GeneratedRegex(@"^\| T(\d+) \|")]
    private static partial Regex Row();

    [GeneratedRegex(@"`(\w+\.pml)`")]
    private static partial Regex Model();
}
