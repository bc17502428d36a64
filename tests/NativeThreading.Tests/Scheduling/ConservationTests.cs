using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>Whatever is queued, from wherever and in whatever way, runs exactly once.</summary>
[Trait("Category", "Soak")]
public sealed class ConservationTests : SoakTest
{
    private const int Producers = 4;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(4)]
    public void MixedProducers_EveryItemRunsExactlyOnce(int threads)
    {
        foreach (int round in Budget.Rounds)
        {
            var run = new MixedRun(NewPool(threads, options => options.MinThreads = 0), itemsPerProducer: 10_000, round);
            StartGate.Run(Producers, run.Produce);
            run.WaitAndCheck();
        }
    }

    [Fact]
    public void T23_OwnersThatFillTheirDequesUnderThieves_LoseNothing()
    {
        NativeThreadPool pool = NewPool(4);
        const int items = 50_000;
        int[] ran = new int[4 * items];
        using var left = new CountdownEvent(ran.Length);
        for (int owner = 0; owner < 4; owner++)
        {
            int first = owner * items;
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    // Much more than a new deque holds, while the others steal from it; each third one into the lane.
                    for (int number = first; number < first + items; number++)
                    {
                        pool.UnsafeQueueUserWorkItem(Ran, number, preferLocal: number % 3 != 0);
                    }
                },
                null);
        }

        Deadline.Wait(left);
        Assert.Equal(-1, Array.FindIndex(ran, count => count != 1));

        void Ran(int number)
        {
            Interlocked.Increment(ref ran[number]);
            left.Signal();
        }
    }
}
