using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Contract;

/// <summary>Items that wait for each other: the worker that runs the first has requested a thread for the next.</summary>
public sealed class DependentItemsTests
{
    public static TheoryData<int> Pairs() => new(Enumerable.Range(1, Environment.ProcessorCount));

    [Theory]
    [MemberData(nameof(Pairs))]
    public void T4_ItemWaitingForOneQueuedJustBeforeIt_GetsIt(int pairs) => RunPairs(pairs, waiterFirst: false, fromWorker: false);

    [Theory]
    [MemberData(nameof(Pairs))]
    public void T4_ItemWaitingForOneQueuedJustAfterIt_GetsIt(int pairs) => RunPairs(pairs, waiterFirst: true, fromWorker: false);

    [Theory]
    [MemberData(nameof(Pairs))]
    public void T4_LocalItemWaitingForOneQueuedJustBeforeIt_GetsIt(int pairs) => RunPairs(pairs, waiterFirst: false, fromWorker: true);

    [Theory]
    [MemberData(nameof(Pairs))]
    public void T4_LocalItemWaitingForOneQueuedJustAfterIt_GetsIt(int pairs) => RunPairs(pairs, waiterFirst: true, fromWorker: true);

    private static void RunPairs(int pairs, bool waiterFirst, bool fromWorker)
    {
        using NativeThreadPool pool = Pools.WithThreads(2 * pairs);
        for (int round = 0; round < 500; round++)
        {
            using var met = new CountdownEvent(pairs);
            var signals = new ManualResetEventSlim[pairs];
            for (int i = 0; i < pairs; i++)
            {
                signals[i] = new ManualResetEventSlim();
            }

            void QueueAll()
            {
                foreach (ManualResetEventSlim signal in signals)
                {
                    void Setter(object? state) => signal.Set();
                    void Waiter(object? state)
                    {
                        if (signal.Wait(Deadline.Time))
                        {
                            met.Signal();
                        }
                    }

                    pool.QueueUserWorkItem(waiterFirst ? Waiter : Setter, (object?)null, preferLocal: fromWorker);
                    pool.QueueUserWorkItem(waiterFirst ? Setter : Waiter, (object?)null, preferLocal: fromWorker);
                }
            }

            if (fromWorker)
            {
                pool.QueueUserWorkItem(_ => QueueAll());
            }
            else
            {
                QueueAll();
            }

            Deadline.Wait(met);
        }
    }
}
