namespace NativeThreading.Integration.Support;

/// <summary>Counts how often each of n operations happened. Used from any thread.</summary>
internal sealed class Ledger(int count)
{
    private readonly int[] _entries = new int[count];

    public void Enter(int operation) => Interlocked.Increment(ref _entries[operation]);

    public void AssertEachOnce() => Assert.Equal(
        [], _entries.Index().Where(entry => entry.Item != 1).Select(entry => $"{entry.Index}: {entry.Item} times"));

    /// <summary>How many happened; none may have happened twice.</summary>
    public int CountAtMostOnce()
    {
        Assert.All(_entries, times => Assert.InRange(times, 0, 1));
        return _entries.Sum();
    }
}
