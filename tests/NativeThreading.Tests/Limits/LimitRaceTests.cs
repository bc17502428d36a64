using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Limits;

/// <summary>Callers that meet at the permits of a limited queue.</summary>
[Trait("Category", "Race")]
public sealed class LimitRaceTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void CallersThatWaitAndGiveUp_EachItemRunsOnceOrNotAtAllAndAllPermitsAreFree(int limit)
    {
        using NativeThreadPool pool = Limited.Pool(limit, QueueFullMode.Wait, threads: 2);
        foreach (int round in RaceTime.Rounds())
        {
            const int callers = 3;
            const int calls = 8;
            int ran = 0;
            int accepted = 0;
            StartGate.Run(callers, caller =>
            {
                for (int i = 0; i < calls; i++)
                {
                    using var source = new CancellationTokenSource();
                    Task outcome = caller == 0
                        ? pool.RunAsync(() => Interlocked.Increment(ref ran), source.Token)
                        : pool.QueueAsync(_ => Interlocked.Increment(ref ran), null, source.Token).AsTask();
                    if ((round + i) % 3 == 0)
                    {
                        Thread.SpinWait(round % 40 * 10);
                        source.Cancel();
                    }

                    try
                    {
                        Deadline.Wait(outcome, $"the outcome of call {i} in round {round}");
                        Interlocked.Increment(ref accepted);
                    }
                    catch (OperationCanceledException)
                    {
                        // it did not come to run
                    }
                }
            });
            Deadline.Until(() => Volatile.Read(ref ran) == accepted, $"round {round}: {accepted} accepted, {ran} ran");
            pool.AssertEmpty();
        }
    }

    [Fact]
    public void LimitedPoolStops_EveryCallerLearnsWhatBecameOfItsItem()
    {
        foreach (int round in RaceTime.Rounds())
        {
            NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
            const int callers = 3;
            int ran = 0;
            int accepted = 0;
            StartGate.Run(callers + 1, caller =>
            {
                if (caller == callers)
                {
                    Thread.SpinWait(round % 50 * 40);
                    Deadline.Wait(pool.ShutdownAsync(CancellationToken.None), $"the stop of round {round}");
                    return;
                }

                try
                {
                    for (int i = 0; i < 50; i++)
                    {
                        if (caller == 0)
                        {
                            pool.QueueUserWorkItem(_ => Interlocked.Increment(ref ran), null);
                        }
                        else
                        {
                            Deadline.Wait(pool.QueueAsync(_ => Interlocked.Increment(ref ran), null).AsTask());
                        }

                        Interlocked.Increment(ref accepted);
                    }
                }
                catch (ObjectDisposedException)
                {
                    // the stop that every caller comes to
                }
            });
            Deadline.Until(() => Volatile.Read(ref ran) == accepted, $"round {round}: {accepted} accepted, {ran} ran");
            Assert.Equal((0, 0), (pool.Probe.HeldPermits, pool.Probe.WaitingCallers));
        }
    }
}
