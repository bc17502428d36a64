using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>
/// T5: a request that no worker honours would suppress all later ones indefinitely. The loss is made here by writing it into
/// the state word while every worker is parked.
/// </summary>
[Trait("Category", "Soak")]
public sealed class LostRequestTests : SoakTest
{
    private const uint LongAgo = 10_000;

    [Fact]
    public void T5_ALaterProducer_RepairsIt_OnceAndReportsIt()
    {
        using var log = new EventLog();
        NativeThreadPool pool = NewFullPool(2, options => options.Name = "t5", repairs: 1);
        pool.Probe.LoseRequest(LongAgo);

        using var ran = new CountdownEvent(1);
        pool.UnsafeQueueUserWorkItem(_ => ran.Signal(), null);
        Deadline.Wait(ran);
        Assert.Equal(1, pool.Probe.Repairs);
        Assert.Equal((long)LongAgo, Assert.IsType<long>(log.WaitFor("LostRequestRepaired", "t5").Payload![1]), 5_000.0);

        for (int i = 0; i < 100; i++)
        {
            pool.OnWorker(() => { });
        }

        Assert.Single(log.Of("LostRequestRepaired", "t5"));
    }

    [Fact]
    public void T5_TheLastWorkersTimedLook_RepairsIt_WithoutAnyProducer()
    {
        NativeThreadPool pool = NewFullPool(2, repairs: 1);
        pool.Probe.LoseRequest(LongAgo); // well within the second after which that worker looks

        Deadline.Until(() => pool.Probe.Repairs == 1);
        Deadline.Until(() => pool.Probe.IsAtRest);
        pool.OnWorker(() => { });
    }

    [Fact]
    public void T5_RequestThatIsMerelyRecent_IsNotRepaired_UntilItExpires()
    {
        NativeThreadPool pool = NewFullPool(2, repairs: 1);
        uint lost = pool.Probe.LoseRequest(age: 0);
        int ran = 0;
        while (Volatile.Read(ref ran) == 0)
        {
            pool.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref ran), null);
            long repairs = pool.Probe.Repairs; // before the age, or the request could expire in between
            uint age = PoolProbe.Since(lost);
            Assert.True(repairs == 0 || age >= PoolProbe.RequestExpiry.TotalMilliseconds, $"Repaired after {age} ms.");
            Assert.True(age < Deadline.Time.TotalMilliseconds, "Not repaired at all.");
            Thread.Yield();
        }
    }
}
