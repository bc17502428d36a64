using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>
/// Workers that wait for groups whose items lie in the queues of other workers, which wait as well: each takes what it waits for
/// from the other (T151).
/// </summary>
public sealed class WorkGroupCrossedWaitTests : IDisposable
{
    private readonly NativeThreadPool _pool = Pools.WithThreads(2);
    private readonly WorkGroup _first;
    private readonly WorkGroup _second;

    public WorkGroupCrossedWaitTests() => (_first, _second) = (new WorkGroup(_pool), new WorkGroup(_pool));

    public void Dispose() => _pool.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    [InlineData(1_000)]
    public void T151_EachHoldsWhatTheOtherWaitsFor_BothReturn(int foreign)
    {
        int ran = 0;
        using var met = new Barrier(2);
        Observation<bool> HoldsAndWaits(WorkGroup holds, WorkGroup waits) => new(() =>
        {
            for (int i = 0; i < foreign; i++)
            {
                _pool.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref ran), 0, preferLocal: true);
            }

            holds.QueueRange(_ => Interlocked.Increment(ref ran), [1, 2]);
            met.SignalAndWait(Deadline.Time);
            return waits.Wait(Deadline.Time / 2);
        });
        using Observation<bool> one = HoldsAndWaits(_first, _second);
        using Observation<bool> other = HoldsAndWaits(_second, _first);
        _pool.UnsafeQueueUserWorkItem(one.Observe, null);
        _pool.UnsafeQueueUserWorkItem(other.Observe, null);
        Assert.True(one.Result && other.Result);
        _pool.WaitUntilQuiet();
        Assert.Equal(2 * (foreign + 2), ran);
    }

    [Theory, CombinatorialBooleans]
    public void T151_WhoBeginsToWaitWithItemsOfASleeper_WakesIt(bool forAnotherPool)
    {
        using NativeThreadPool other = Pools.WithThreads(1, "other");
        WorkGroup awaited = forAnotherPool ? new WorkGroup(other) : _second;
        using var late = new LateRange(awaited);
        using var goOn = new ManualResetEventSlim();
        using var ran = new ManualResetEventSlim();
        _first.Queue(
            _ =>
            {
                Deadline.Wait(goOn);
                _first.Queue(_ => ran.Set(), 0); // wakes no worker: this one may run it yet
                Assert.True(awaited.Wait(Deadline.Time / 2));
            },
            0);
        using var sleeper = new SleepingWaiter(_pool, _first);
        goOn.Set();
        Deadline.Wait(ran);
        Assert.Null(late.Publish());
        Assert.True(sleeper.Result);
    }
}
