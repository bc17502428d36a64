using NativeThreading.Platform;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Posting;

/// <summary>How many system calls the wakes of a loop cost (T71, T73).</summary>
public sealed class WakeCoalescingTests : IDisposable
{
    private const int Posts = 1_000;

    private readonly EventLoop _loop = new();

    public void Dispose() => _loop.Dispose();

    /// <summary>A thread that loses its processor between claiming a slot and filling it hides what others post behind it. The loop then sleeps, and
    /// they wake it again: that happens in few rounds.</summary>
    [Fact]
    public void T71_ManyPostsToASleepingLoop_CostOneWrite()
    {
        var writes = new List<long>();
        foreach (int _ in Soak.Repeat(50))
        {
            _loop.WaitUntilAsleep();
            long before = _loop.Stats.Writes;
            using var allPosted = new ManualResetEventSlim();
            using var after = new Observation<long>(() => _loop.Stats.Writes);
            StartGate.Run(8, _ =>
            {
                _loop.UnsafePost(_ => allPosted.Wait(Deadline.Time), null); // the first callback keeps the loop awake
                for (int i = 0; i < 100; i++)
                {
                    _loop.UnsafePost(static _ => { }, null);
                }
            });
            _loop.UnsafePost(after.Observe, null);
            allPosted.Set();
            writes.Add(after.Result - before);
        }

        int exact = writes.Count(static count => count == 1);
        Assert.True(2 * exact > writes.Count, $"writes of each round: {string.Join(' ', writes)}");
        Assert.DoesNotContain(0, writes);
    }

    [Fact]
    public void T71_OnePostToASleepingLoop_CostsExactlyOneWrite()
    {
        for (int round = 0; round < 100; round++)
        {
            _loop.WaitUntilAsleep();
            long before = _loop.Stats.Writes;
            long seen = _loop.Call(() => _loop.Stats.Writes);
            Assert.Equal(before + 1, seen);
        }
    }

    [Fact]
    public void T71_PostsWhileTheLoopRuns_CostNothing()
    {
        using var occupied = new OccupiedLoop(_loop);
        long before = _loop.Stats.SystemCalls;
        StartGate.Run(4, _ =>
        {
            for (int i = 0; i < Posts; i++)
            {
                _loop.UnsafePost(static _ => { }, null);
            }
        });
        using var after = new Observation<long>(() => _loop.Stats.SystemCalls);
        _loop.UnsafePost(after.Observe, null);
        occupied.Release();
        Assert.Equal(before, after.Result);
    }

    [Fact]
    public void T71_PostsFromItsOwnThread_CostNothing()
    {
        int left = 100 * Posts;
        using var done = new ManualResetEventSlim();
        long before = 0;
        long after = 0;
        void Again(object? state)
        {
            if (--left > 0)
            {
                _loop.UnsafePost(Again, null);
                return;
            }

            after = _loop.Stats.SystemCalls;
            done.Set();
        }

        _loop.UnsafePost(
            _ =>
            {
                before = _loop.Stats.SystemCalls;
                Again(null);
            },
            null);
        Deadline.Wait(done);
        Assert.Equal(before, after);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(20_000)]
    public void T73_AWakeCostsTheSame_HoweverManyTimersAreArmed(int timers)
    {
        _loop.Call(() =>
        {
            for (int i = 0; i < timers; i++)
            {
                new EventLoopTimer(_loop, static _ => { }, null).Arm(TimeSpan.FromHours(1));
            }
        });
        const int wakes = 100;
        _loop.WaitUntilAsleep();
        EventLoopStats before = _loop.Stats;
        for (int i = 0; i < wakes; i++)
        {
            _loop.WaitUntilAsleep();
        }

        EventLoopStats after = _loop.Stats;
        Assert.Equal((wakes, wakes), (after.Writes - before.Writes, after.Reads - before.Reads));
        Assert.InRange(after.Waits - before.Waits, wakes, 2 * wakes);
        Assert.Equal(before.Controls, after.Controls);
    }
}
