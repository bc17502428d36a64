using NativeThreading.Platform;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Posting;

/// <summary>Many threads wake one loop, which falls asleep again and again: no wake is lost (T71).</summary>
public sealed class WakeStormTests : IDisposable
{
    private const int Threads = 8;

    private readonly EventLoop _loop = new();

    public void Dispose() => _loop.Dispose();

    [Fact]
    public void T71_EightThreads_EveryCallbackRunsOnce()
    {
        int perThread = Soak.Rounds(50_000);
        var counts = new int[Threads];
        StartGate.Run(Threads, thread =>
        {
            for (int i = 0; i < perThread; i++)
            {
                _loop.UnsafePost(_ => counts[thread]++, null); // the loop's thread alone counts
            }
        });
        _loop.Call(() => { });
        Assert.All(counts, count => Assert.Equal(perThread, count));
        Assert.Equal(0, _loop.PendingCallbackCount);
    }

    [Fact]
    public void T71_EachThreadWaitsForItsOwnCallback_SoThatTheLoopSleepsInBetween()
    {
        long ran = 0;
        long posted = 0;
        long sleepsBefore = _loop.Stats.Sleeps;
        StartGate.Run(Threads, _ =>
        {
            using var done = new SemaphoreSlim(0);
            foreach (int round in Soak.Repeat(2_000))
            {
                Interlocked.Increment(ref posted);
                _loop.UnsafePost(
                    _ =>
                    {
                        ran++;
                        done.Release();
                    },
                    null);
                Deadline.Wait(done);
            }
        });
        Assert.Equal(posted, _loop.Call(() => ran));
        Assert.True(_loop.Stats.Sleeps - sleepsBefore > 1, "The loop never slept: the test raced nothing.");
        AssertNoMoreWritesThanSleeps();
    }

    [Fact]
    public void T71_PostsAtTheMomentOfFallingAsleep()
    {
        // From a burst of two on, the second post falls at any moment of the loop's way to its sleep.
        var random = new Random(71);
        using var done = new SemaphoreSlim(0);
        foreach (int round in Soak.Repeat(20_000))
        {
            _loop.UnsafePost(_ => done.Release(), null);
            Deadline.Wait(done);
            Thread.SpinWait(random.Next(200));
        }

        AssertNoMoreWritesThanSleeps();
    }

    // A write ends a sleep; a thread that wakes a loop that is awake, or was woken already, writes nothing.
    private void AssertNoMoreWritesThanSleeps()
    {
        var stats = _loop.Stats;
        if (!CoreChoice.IsManaged) // there, a wake between two polls sets the event although the loop is awake
        {
            Assert.InRange(stats.Writes, 0, stats.Waits);
        }

        Assert.InRange(stats.Reads, 0, 2 * stats.Waits);
    }
}
