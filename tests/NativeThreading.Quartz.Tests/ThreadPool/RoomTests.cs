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
        TakeAll(started: 2);
        _slots.Return();
        Assert.True(_slots.IsAwaited);
        _slots.Return();
        Assert.False(_slots.IsAwaited);
        Assert.Equal(2, await Deadline.For(_room));
    }

    [Fact]
    public async Task OnceNoJobWaitsForAThread_EachSlotIsWorthTelling()
    {
        TakeAll(started: Count);
        Assert.True(_slots.IsAwaited);
        _slots.Return();
        Assert.False(_slots.IsAwaited);
        Assert.Equal(1, await Deadline.For(_room));
    }

    /// <summary>It may run for hours, and nothing would report the free slot meanwhile.</summary>
    [Fact]
    public async Task TheLastJobThatBegins_TellsOfASlotThatIsFree()
    {
        TakeAll(started: Count - 1);
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
        TakeAll(started: Count - 1);
        _slots.Begin();
        Assert.True(_slots.IsAwaited);
    }

    [Fact]
    public async Task WhoAsksWhileASlotIsFree_IsToldAtOnce()
    {
        TakeAll(started: 1);
        _slots.Return();
        Assert.Equal(1, await Deadline.For(_slots.FreeAsync(CancellationToken.None).AsTask()));
    }

    [Fact]
    public async Task Closing_TellsWhoeverWaits()
    {
        TakeAll(started: 0);
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

    /// <summary>All slots, and then a caller that waits for one.</summary>
    private void TakeAll(int started)
    {
        for (int job = 0; job < Count; job++)
        {
            Assert.True(_slots.TryTake());
        }

        for (int job = 0; job < started; job++)
        {
            _slots.Begin();
        }

        _room = _slots.FreeAsync(CancellationToken.None).AsTask();
        Assert.True(_slots.IsAwaited);
    }
}
