using NativeThreading.SoakProgram.Watch;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.SoakCommand;

/// <summary>The soak sees what the library itself would heal unseen (T5).</summary>
public sealed class StrandedItemsTests : SoakTest
{
    private static readonly TimeSpan s_step = TimeSpan.FromMilliseconds(20);

    private TimeSpan _now;

    [Fact]
    public void ItemThatNobodyWasAskedFor_IsReported()
    {
        NativeThreadPool pool = NewFullPool(2);
        using var ran = new ManualResetEventSlim();
        var stranded = new StrandedItems(pool);
        pool.Probe.Publish(ran.Set); // without a request for a thread
        string? error = LookFor(stranded, TimeSpan.FromSeconds(1));
        pool.UnsafeQueueUserWorkItem(static _ => { }, null);
        Deadline.Wait(ran);
        Assert.Contains("1 items have waited for 0.7 s", error, StringComparison.Ordinal);
    }

    [Fact]
    public void StopOfTheProcess_DoesNotCount()
    {
        NativeThreadPool pool = NewFullPool(2);
        using var ran = new ManualResetEventSlim();
        var stranded = new StrandedItems(pool);
        pool.Probe.Publish(ran.Set);
        Assert.Null(LookFor(stranded, 10 * s_step));
        _now += TimeSpan.FromSeconds(10);
        string? error = LookFor(stranded, 10 * s_step);
        pool.UnsafeQueueUserWorkItem(static _ => { }, null);
        Deadline.Wait(ran);
        Assert.Null(error);
    }

    [Fact]
    public void PoolAtRest_IsNot()
    {
        Assert.Null(LookFor(new StrandedItems(NewFullPool(2)), TimeSpan.FromSeconds(5)));
    }

    private string? LookFor(StrandedItems stranded, TimeSpan time)
    {
        string? error = null;
        for (TimeSpan end = _now + time; _now < end && error is null; _now += s_step)
        {
            error = stranded.Look(_now);
        }

        return error;
    }
}
