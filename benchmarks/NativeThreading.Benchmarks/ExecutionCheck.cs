namespace NativeThreading.Benchmarks;

/// <summary>Compares, when a benchmark ends, the items that were executed with those that its result is divided by
/// (T126). Called from the benchmark's thread only.</summary>
internal sealed class ExecutionCheck
{
    private long _expected;
    private long _executed;

    public void Add(long expected, long executed)
    {
        _expected += expected;
        _executed += executed;
    }

    public void Verify()
    {
        if (_expected == 0 || _executed != _expected)
        {
            throw new InvalidOperationException($"{_executed:N0} items were executed instead of {_expected:N0}.");
        }
    }
}
