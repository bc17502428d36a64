using NativeThreading.EventLoops.Turns;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>The table behind the tokens.</summary>
public sealed class TargetTableTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(16)]
    [InlineData(17)]
    [InlineData(10_000)]
    public void EachTarget_IsFoundUnderItsOwnIndex(int count)
    {
        var table = new TargetTable();
        object[] targets = [.. Enumerable.Range(0, count).Select(_ => new object())];
        int[] indices = [.. targets.Select(table.Add)];

        Assert.Equal(count, indices.Distinct().Count());
        Assert.All(Enumerable.Range(0, count), i => Assert.Same(targets[i], table.Get<object>((ulong)indices[i])));
        Assert.Equal(targets, table.Snapshot());
    }

    [Fact]
    public void Indices_AreUsedAgain_SoThatTheTableDoesNotGrow()
    {
        var table = new TargetTable();
        int most = 0;
        for (int i = 0; i < 1_000; i++)
        {
            int[] indices = [.. Enumerable.Range(0, 50).Select(_ => table.Add(new object()))];
            most = Math.Max(most, indices.Max());
            Array.ForEach(indices, table.Remove);
        }

        Assert.Equal(49, most);
        Assert.Empty(table.Snapshot());
    }

    [Fact]
    public void RandomUse_MatchesADictionary()
    {
        var random = new Random(5);
        var table = new TargetTable();
        var expected = new Dictionary<int, object>();
        for (int i = 0; i < 20_000; i++)
        {
            if (random.Next(5) < 3 || expected.Count == 0)
            {
                object target = new();
                Assert.True(expected.TryAdd(table.Add(target), target));
            }
            else
            {
                int index = expected.Keys.ElementAt(random.Next(Math.Min(20, expected.Count)));
                table.Remove(index);
                expected.Remove(index);
            }
        }

        Assert.All(expected, pair => Assert.Same(pair.Value, table.Get<object>((ulong)pair.Key)));
        Assert.Equal(expected.Count, table.Snapshot().Length);
    }

    [Fact]
    public void ReservedIndex_HoldsNothing()
    {
        var table = new TargetTable();
        int index = table.Add(null);
        Assert.Empty(table.Snapshot());
        table.Set(index, this);
        Assert.Same(this, table.Get<TargetTableTests>((ulong)index));
        table.Set(index, null);
        Assert.Empty(table.Snapshot());
        Assert.NotEqual(index, table.Add(this));
    }
}
