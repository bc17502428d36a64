using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops;

/// <summary>T109: the table "On an event loop" of docs/reference/where-code-runs.md, row by row.</summary>
public sealed class WhatRunsWhereTests
{
    private const string Heading = "## On an event loop";

    private static readonly string[] s_documented = [.. File.ReadLines(Path.Combine(SourceTree.Root, "docs", "reference", "where-code-runs.md"))
        .SkipWhile(line => line != Heading).Skip(1)
        .TakeWhile(line => !line.StartsWith("## ", StringComparison.Ordinal))
        .Where(line => line.StartsWith('|')).Skip(2)
        .Select(line => line.Split(" | ")[0].TrimStart('|', ' '))];

    public static TheoryData<int> Rows() => [.. Enumerable.Range(0, WhereCases.All.Length)];

    [Theory]
    [MemberData(nameof(Rows))]
    public void T109_RowIsTrue(int row)
    {
        using var loop = new EventLoop();
        using NativeThreadPool pool = Pools.WithThreads(1);
        var cases = new WhereCases(loop, pool);
        Deadline.Wait(loop.InvokeAsync(() => WhereCases.All[row].Check(cases)), s_documented[row]);
    }

    [Fact]
    public void T109_EveryRowHasItsCase() => Assert.Equal(s_documented, WhereCases.All.Select(row => row.Text));
}
