using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>What a waiter learns about failed items.</summary>
public sealed class WorkGroupErrorTests : IDisposable
{
    private readonly NativeThreadPool _pool = Pools.WithThreads(1);

    public void Dispose() => _pool.Dispose();

    [Theory, CombinatorialBooleans]
    public async Task First_ThrowsTheFirstFailureAsItWasThrown(bool async)
    {
        var group = new WorkGroup(_pool);
        int ran = 0;
        QueueFailures(group, () => ran++);
        var exception = async
            ? await Assert.ThrowsAsync<InvalidTimeZoneException>(() => Deadline.For(group.WaitAsync()))
            : Assert.Throws<InvalidTimeZoneException>(() => group.Wait(Deadline.Time));
        Assert.Equal("0", exception.Message);
        Assert.Contains(nameof(Fail), exception.StackTrace, StringComparison.Ordinal);
        Assert.Equal(10, ran); // a failure does not stop the others
    }

    [Theory, CombinatorialBooleans]
    public async Task All_ThrowsEveryFailure(bool async)
    {
        var group = new WorkGroup(_pool, WorkGroupErrors.All);
        QueueFailures(group, () => { });
        var exception = async
            ? await Assert.ThrowsAsync<AggregateException>(() => Deadline.For(group.WaitAsync()))
            : Assert.Throws<AggregateException>(() => group.Wait(Deadline.Time));
        Assert.Equal(["0", "2", "4", "6", "8"], exception.InnerExceptions.Select(inner => inner.Message));
    }

    [Fact]
    public void Failure_IsReportedOnceAndTheGroupCanBeUsedAgain()
    {
        var group = new WorkGroup(_pool);
        QueueFailures(group, () => { });
        Assert.Throws<InvalidTimeZoneException>(() => group.Wait());
        group.Wait();
        group.Queue(static _ => { }, 1);
        Assert.True(group.Wait(Deadline.Time));
    }

    [Fact]
    public void FailureOfAnItemThatItsWaiterRan_IsReportedToo()
    {
        Assert.Equal("0", _pool.OnWorker(() =>
        {
            var group = new WorkGroup(_pool);
            group.Queue(static number => Fail(number), 0);
            return Assert.Throws<InvalidTimeZoneException>(() => group.Wait()).Message;
        }));
    }

    [Fact]
    public void FailureInANestedGroup_GoesThroughTheWaits()
    {
        var outer = new WorkGroup(_pool);
        outer.Queue(
            _ =>
            {
                var inner = new WorkGroup(_pool);
                inner.Queue(static number => Fail(number), 7);
                inner.Wait();
            },
            0);
        Assert.Equal("7", Assert.Throws<InvalidTimeZoneException>(() => outer.Wait(Deadline.Time)).Message);
    }

    private static void QueueFailures(WorkGroup group, Action ran) => group.QueueRange(
        number =>
        {
            ran();
            if (number % 2 == 0)
            {
                Fail(number);
            }
        },
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);

    private static void Fail(int number) => throw new InvalidTimeZoneException($"{number}");
}
