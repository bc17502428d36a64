using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>T33: threads in native code, and lingering ones, do not hold up a collection.</summary>
[Trait("Category", "Soak")]
public sealed class GcPauseTests : SoakTest
{
    // A parked worker that resisted would hold the collection indefinitely. The bound is wide because suspending is at the
    // mercy of the scheduler of a busy machine; an idle one does it in well under a millisecond.
    private static readonly TimeSpan s_bound = TimeSpan.FromMilliseconds(500);

    [Fact]
    public void T33_WorkersParked() => AssertPausesAreShort(static _ => { });

    [Fact]
    public void T33_OneWorkerLingering() => AssertPausesAreShort(static pool => pool.UnsafeQueueUserWorkItem(static _ => { }, null));

    [Fact]
    public void T33_ThreadsInTheSemaphore()
    {
        using var semaphore = new LifoSemaphore();
        var waiters = new Thread[4];
        for (int i = 0; i < waiters.Length; i++)
        {
            waiters[i] = new Thread(semaphore.Wait) { IsBackground = true };
            waiters[i].Start();
        }

        AssertPausesAreShort(static _ => { });
        semaphore.Release(waiters.Length);
        Array.ForEach(waiters, waiter => Deadline.Join(waiter));
    }

    private void AssertPausesAreShort(Action<NativeThreadPool> meanwhile)
    {
        NativeThreadPool pool = NewFullPool(4);
        TimeSpan worst = TimeSpan.Zero;
        for (Budget budget = Budget.Of(500); budget.HasTime;)
        {
            meanwhile(pool);
            TimeSpan before = GC.GetTotalPauseDuration();
            Allocate();
            GC.Collect(0, GCCollectionMode.Forced, blocking: true);
            TimeSpan pause = GC.GetTotalPauseDuration() - before;
            worst = pause > worst ? pause : worst;
        }

        Assert.True(worst < s_bound, $"A collection paused for {worst.TotalMilliseconds} ms.");
    }

    private static void Allocate()
    {
        for (int i = 0; i < 1_000; i++)
        {
            GC.KeepAlive(new byte[1_000]);
        }
    }
}
