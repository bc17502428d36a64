using NativeThreading.Tests.Support;
using NativeThreading.Workers;

namespace NativeThreading.Tests.Workers;

/// <summary>What a worker does between the items of a portion, which it runs without looking at anything that they share.</summary>
public sealed class RunPortionTests : IDisposable
{
    private const int Items = 32;

    private readonly NativeThreadPool _pool = Pools.WithThreads(1);
    private readonly WorkGroup _group;
    private readonly Action[] _items = new Action[2 * Items];
    private int _ran;

    public RunPortionTests()
    {
        _group = new WorkGroup(_pool);
        Array.Fill(_items, () => _ran++);
    }

    public void Dispose() => _pool.Dispose();

    [Theory, CombinatorialBooleans]
    public void AllRunInARow_AlsoWhileAWorkerIsBlocked(bool isBlocked) => OnPortion(picks: Items + 1, () =>
    {
        using (isBlocked ? NativeThreadPool.EnterBlockingRegion() : default)
        {
            Worker.Current!.RunPortion();
        }

        Assert.Equal(Items, _ran);
    });

    [Fact]
    public void LookThatIsDue_ComesFirst() => OnPortion(picks: 6, () =>
    {
        Worker.Current!.RunPortion();
        Assert.Equal(5, _ran);
    });

    [Fact]
    public void LocalItems_ComeFirst()
    {
        _items[4] = () => _pool.UnsafeQueueUserWorkItem<object?>(_ => Assert.Equal(4, _ran), null, preferLocal: true);
        OnPortion(picks: Items + 1, () =>
        {
            Worker.Current!.RunPortion();
            Assert.Equal(4, _ran);
        });
    }

    [Fact]
    public void T34_T35_EachItem_FindsTheThreadAsItShouldBe()
    {
        var local = new AsyncLocal<string?>();
        string? name = null;
        Array.Fill(_items, () =>
        {
            Thread thread = Thread.CurrentThread;
            Assert.Equal((name ??= thread.Name, ThreadPriority.Normal, true), (thread.Name, thread.Priority, thread.IsBackground));
            Assert.Null(SynchronizationContext.Current);
            Assert.Null(local.Value);
            (thread.Name, thread.Priority, thread.IsBackground) = ("other", ThreadPriority.Lowest, false);
            SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
            local.Value = "other";
            _ran++;
        });
        OnPortion(picks: Items + 1, () =>
        {
            Worker.Current!.RunPortion();
            Assert.Equal(Items, _ran);
        });
    }

    [Fact]
    public void ItemThatThrows_EndsNothingButItself()
    {
        _items[7] = static () => throw new FormatException();
        OnPortion(picks: Items + 1, () =>
        {
            long before = Worker.Current!.CompletedCount;
            Worker.Current!.RunPortion();
            Assert.Equal(Items - 1, _ran);
            Assert.Equal(before + Items, Worker.Current!.CompletedCount);
        });
        Assert.IsType<FormatException>(Assert.Single(_group.UntoldExceptions)); // nobody has counted the items, so nobody can wait for them
    }

    /// <summary>The only worker has claimed a portion of a group's items, and does what it is told.</summary>
    private void OnPortion(int picks, Action body)
    {
        _pool.OnWorker(() =>
        {
            _pool.Probe.PublishRange(_group, _items);
            Assert.Equal(Items, _pool.Probe.ClaimPortion(Items));
            Worker.Current!.Pace.PicksLeft = picks;
            body();
        });
    }
}
