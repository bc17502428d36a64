using System.Text.RegularExpressions;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>
/// docs/contributors/traps.md says what goes wrong and where it is tested: every trap has one row, whatever cites a trap finds its row, and
/// every test that a row cites exists.
/// </summary>
public sealed partial class TrapsDocumentTests
{
    private const int Traps = 152; // grows with the page, and never shrinks

    private static readonly string[] s_rows =
        [.. File.ReadAllLines(Path.Combine(SourceTree.Root, "docs", "contributors", "traps.md")).Where(line => Row().IsMatch(line))];

    private static readonly string[] s_numbers = [.. s_rows.Select(row => Row().Match(row).Groups[1].Value)];

    [Fact]
    public void EveryTrapHasOneRow_AndTheyAreInOrder()
    {
        string[] traps = [.. Enumerable.Range(1, Traps).Select(number => $"T{number}")];
        string[] wrong =
        [
            .. traps.Except(s_numbers).Select(trap => $"{trap} has no row"),
            .. s_numbers.CountBy(trap => trap).Where(rows => rows.Value > 1).Select(rows => $"{rows.Key} has {rows.Value} rows"),
            .. s_numbers.Except(traps).Select(trap => $"{trap} is none of the {Traps} that this test expects"),
        ];
        Assert.True(wrong.Length == 0, $"docs/contributors/traps.md: {string.Join(", ", wrong)}");
        Assert.Equal(traps, s_numbers);
    }

    [Fact]
    public void EveryRowSaysWhatGoesWrong_AndWhereItIsTested() => Assert.All(s_rows, row =>
    {
        string[] cells = row.Trim('|', ' ').Split(" | ");
        Assert.True(cells.Length == 3 && Text().IsMatch(cells[1]) && cells[2].Length > 10, $"docs/contributors/traps.md: {row}");
    });

    [Fact]
    public void EveryCitedTrapHasARow()
    {
        string[] missing = [.. CitedTraps.ByFile.SelectMany(file => file.Value.Except(s_numbers).Select(trap => $"{trap} ({file.Key})"))];
        Assert.True(missing.Length == 0, $"docs/contributors/traps.md has no row for {string.Join(", ", missing)}");
    }

    /// <summary>One known citation of each kind: a search that finds nothing would find nothing missing.</summary>
    [Theory]
    [InlineData("T5", "tests/NativeThreading.Tests/Scheduling/LostRequestTests.cs")]
    [InlineData("T78", "native/tests/test_event_loop.c")]
    [InlineData("T101", "native/src/prim/darwin.c")]
    [InlineData("T117", "native/models/run.sh")]
    [InlineData("T12", "native/models/lifo_semaphore.pml")]
    [InlineData("T105", "src/NativeThreading.AspNetCore/NativePipeScheduler.cs")]
    [InlineData("T31", "src/BannedSymbols.txt")]
    [InlineData("T126", "benchmarks/NativeThreading.Benchmarks/ExecutionCheck.cs")]
    [InlineData("T134", "docs/contributors/architecture/threads-and-starvation.md")]
    [InlineData("T16", "CONTRIBUTING.md")]
    [InlineData("T99", "build.cake")]
    public void CitationsAreFound(string trap, string file) => Assert.Contains(trap, CitedTraps.ByFile[file]);

    [Theory]
    [InlineData("public void T77_T81_NeverEarly()", "T77 T81")]
    [InlineData("TEST(T4_waits)", "T4")]
    [InlineData("/* T12 */ // (T31, T60): T31.", "T12 T31 T60")]
    [InlineData("2026-11-22T12:22 AT1 T1a T_1 T", "")]
    public void CitationsInAText(string text, string traps) => Assert.Equal(traps, string.Join(' ', CitedTraps.In(text)));

    [Fact]
    public void TrapWithoutARow_IsMissing()
    {
        string next = $"T{Traps + 1}"; // not spelled out: this file is read like any other
        Assert.Equal([next], CitedTraps.In($"public void T1_{next}_Behaviour()").Except(s_numbers));
    }

    [Fact]
    public void EveryCitedTestExists()
    {
        List<string> missing = CitedTests.Missing(s_rows);
        Assert.True(missing.Count == 0, $"docs/contributors/traps.md cites tests that do not exist: {string.Join(", ", missing)}");
    }

    [Fact]
    public void EveryCitedModelExistsAndHasMutants()
    {
        string[] models = [.. s_rows.SelectMany(row => Model().Matches(row)).Select(match => match.Groups[1].Value).Distinct()];
        Assert.NotEmpty(models);
        Assert.All(models, model =>
            Assert.Contains("MUTANT_", File.ReadAllText(Path.Combine(SourceTree.Root, "native", "models", model)), StringComparison.Ordinal));
    }

    [GeneratedRegex(@"^\| (T\d+) \|")]
    private static partial Regex Row();

    // A name in bold, and sentences behind it.
    [GeneratedRegex(@"^\*\*[^*]+\.\*\* .{40,}\.$")]
    private static partial Regex Text();

    [GeneratedRegex(@"`(\w+\.pml)`")]
    private static partial Regex Model();
}
