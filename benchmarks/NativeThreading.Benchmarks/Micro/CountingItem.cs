namespace NativeThreading.Benchmarks.Micro;

/// <summary>State and body of all items of an invocation: counts the executions and lets one thread wait for them.</summary>
internal sealed class CountingItem : IThreadPoolWorkItem
{
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(30);

    private readonly SemaphoreSlim _all = new(0);
    private int _expected;
    private int _executed;

    public static Action<CountingItem> Typed { get; } = static item => item.Execute();

    public static WaitCallback Untyped { get; } = static state => ((CountingItem)state!).Execute();

    public void Expect(int count)
    {
        _executed = 0;
        Volatile.Write(ref _expected, count);
    }

    public void Execute()
    {
        if (Interlocked.Increment(ref _executed) == _expected)
        {
            _all.Release();
        }
    }

    /// <summary>Waits for the expected number and returns how many were executed.</summary>
    public int Wait()
    {
        if (!_all.Wait(Deadline))
        {
            throw new TimeoutException($"{Volatile.Read(ref _executed)} of {_expected} items were executed.");
        }

        return Volatile.Read(ref _executed);
    }
}
