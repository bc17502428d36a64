using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>docs/contributors/faults.md: each fault has a promise, and a test that exists.</summary>
public sealed class FaultsDocumentTests
{
    private static readonly string[] s_rows =
    [
        .. File.ReadAllLines(Path.Combine(SourceTree.Root, "docs", "contributors", "faults.md"))
            .Where(static line => line.StartsWith("| ", StringComparison.Ordinal) && !line.StartsWith("| fault |", StringComparison.Ordinal)),
    ];

    [Fact]
    public void EveryFaultHasOnePromiseAndATest()
    {
        Assert.InRange(s_rows.Length, 20, 200);
        Assert.All(s_rows, static row =>
        {
            string[] cells = row.Split(" | ");
            Assert.True(cells.Length == 3, row);
            Assert.EndsWith(".", cells[1], StringComparison.Ordinal);
            Assert.NotEmpty(CitedTests.In(cells[2]));
        });
    }

    [Fact]
    public void EveryCitedTestExists()
    {
        List<string> missing = CitedTests.Missing(s_rows);
        Assert.True(missing.Count == 0, $"docs/contributors/faults.md cites tests that do not exist: {string.Join(", ", missing)}");
    }
}
