using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Starvation;

/// <summary>T5: lost wakes that only the monitor can notice. The loss is made here, by writing into the word.</summary>
[Trait("Category", "Soak")]
public sealed class WatchdogTests : SoakTest
{
    [Fact]
    public void T5_RequestLostAMomentAgo_OneProducer_ThenSilence()
    {
        using var meter = new PoolMeter("s0");
        NativeThreadPool pool = NewFullPool(2, repairs: 1);
        using var ran = new ManualResetEventSlim();
        pool.Probe.LoseRequest(age: 300); // late, but not lost yet; and no producer comes later

        pool.UnsafeQueueUserWorkItem(_ => ran.Set(), null);
        Assert.False(ran.IsSet);
        Deadline.Wait(ran);
        Assert.Equal((1L, 1.0), (pool.Probe.Repairs, meter["watchdog.recoveries"]));
    }

    [Fact]
    public void T5_ItemThatWasNeverSignalled_IsSeenWhileSomebodyLooks()
    {
        // The monitor is with the pool for another reason; then an item is published without a request for a thread.
        NativeThreadPool pool = NewFullPool(2, repairs: 1);
        pool.WaitUntilLateLookIsOver();
        using var ran = new ManualResetEventSlim();
        pool.Probe.Publish(ran.Set);
        pool.Probe.BringMonitor();
        Deadline.Wait(ran);
        Assert.Equal(1, pool.Probe.Repairs);
    }
}
