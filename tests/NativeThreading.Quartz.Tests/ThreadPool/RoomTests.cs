namespace NativeThreading.Quartz.Tests.ThreadPool;

/// <summary>When a scheduler that waits for room is notified: not for each job that ends, while other jobs have a slot and wait for a thread.</summary>
public sealed class RoomTests
{
    private const int Count = 8;

    private readonly JobSlots _slots = new(Count);
    private Task<int> _room = Task.FromResult(0);

    [Fact]
    public async Task WhileJobsWaitForAThread_AQuarterOfTheSlotsIsWorthTelling()
    {
        TakeAll(begun: 2);
        _slots.Return();
        Assert.True(_slots.IsAwaited);
        _slots.Return();
        Assert.False(_slots.IsAwaited);
        Assert.Equal(2, await Deadline.For(_room));
    }

    [Fact]
    public async Task OnceNoJobWaitsForAThread_EachSlotIsWorthTelling()
    {
        TakeAll(begun: Count);
        Assert.True(_slots.IsAwaited);
        _slots.Return();
        Assert.False(_slots.IsAwaited);
        Assert.Equal(1, await Deadline.For(_room));
    }

    /// <summary>It may run for hours, and nothing would report the free slot meanwhile.</summary>
    [Fact]
    public async Task TheLastJobThatBegins_TellsOfASlotThatIsFree()
    {
        TakeAll(begun: Count - 1);
        _slots.Return();
        Assert.True(_slots.IsAwaited);
        _slots.Begin();
        Assert.False(_slots.IsAwaited);
        Assert.Equal(1, await Deadline.For(_room));
    }

    /// <summary>The one that begins last has no slot to tell of.</summary>
    [Fact]
    public void TheLastJobThatBegins_TellsNothingWhereNoSlotIsFree()
    {
        TakeAll(begun: Count - 1);
        _slots.Begin();
        Assert.True(_slots.IsAwaited);
    }

    [Fact]
    public async Task WhoAsksWhileASlotIsFree_IsToldAtOnce()
    {
        TakeAll(begun: 1);
        _slots.Return();
        Assert.Equal(1, await Deadline.For(_slots.FreeAsync(CancellationToken.None).AsTask()));
    }

    [Fact]
    public async Task Closing_TellsWhoeverWaits()
    {
        TakeAll(begun: 0);
        _slots.Close();
        Assert.Equal(0, await Deadline.For(_room));
        Assert.False(_slots.Drained.IsCompleted);
        for (int job = 0; job < Count; job++)
        {
            _slots.Begin();
            _slots.Return();
        }

        await Deadline.For(_slots.Drained);
    }

    /// <summary>All slots, and then one who waits for more.</summary>
    private void TakeAll(int begun)
    {
        for (int job = 0; job < Count; job++)
        {
            Assert.True(_slots.TryTake());
        }

        for (int job = 0; job < begun; job++)
        {
            _slots.Begin();
        }

        _room = _slots.FreeAsync(CancellationToken.None).AsTask();
        Assert.True(_slots.IsAwaited);
    }
}
