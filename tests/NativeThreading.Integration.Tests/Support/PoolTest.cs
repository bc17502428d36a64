namespace NativeThreading.Integration.Support;

/// <summary>
/// A test with a pool of its own. Afterwards nothing may be left of it: no item, no thread above the target, none that
/// ran elsewhere (T110), no request that had to be repaired (T5).
/// </summary>
public abstract class PoolTest : IAsyncDisposable
{
    /// <summary>Concurrent operations of one test.</summary>
    protected const int Operations = 1_000;

    private static readonly EventLog s_log = new();

    private readonly string _name = $"it{Guid.NewGuid():n}"[..10];

    protected PoolTest()
    {
        Pool = new(new NativeThreadPoolOptions { Name = _name, MaxThreads = 4, IdleTimeout = TimeSpan.FromMilliseconds(100) });
        Trace = new(Pool);
    }

    private protected NativeThreadPool Pool { get; }

    private protected Trace Trace { get; }

    /// <summary>On another thread: the test may have ended on one of the workers that are to retire.</summary>
    public async ValueTask DisposeAsync()
    {
        await Task.Run(AssertNothingIsLeft);
        GC.SuppressFinalize(this);
    }

    private void AssertNothingIsLeft()
    {
        Deadline.Until(() => Pool.PendingWorkItemCount == 0, $"nothing waits in {Pool}");
        Deadline.Until(() => Pool.ThreadCount == Pool.MinThreads, $"the threads of {Pool} retire");
        Assert.Equal((0L, 0), (Pool.RanElsewhereCount, Pool.BlockedThreadCount));
        Assert.Empty(s_log.Of("LostRequestRepaired", _name));
        Assert.Equal(0, Deadline.Result(Pool.ShutdownAsync(CancellationToken.None)));
    }
}
