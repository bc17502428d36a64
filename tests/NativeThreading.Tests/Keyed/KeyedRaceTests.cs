using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Keyed;

/// <summary>Producers, turns and the end of a pool, all at once: no item of a key overlaps another, none overtakes, and each has one outcome.</summary>
[Trait("Category", "Race")]
public sealed class KeyedRaceTests
{
    private const int Keys = 3;
    private const int Producers = 3;
    private const int Each = 300;

    public enum Ending
    {
        Drain,
        Stop,
    }

    [Theory]
    [InlineData(1, Ending.Drain)]
    [InlineData(1, Ending.Stop)]
    [InlineData(2, Ending.Drain)]
    [InlineData(2, Ending.Stop)]
    public void EachItemHasOneOutcome_WhateverThePoolDoes(int most, Ending end)
    {
        foreach (int round in Soak.Repeat(20))
        {
            var options = new NativeThreadPoolOptions { MaxThreads = 2 };
            if (round % 3 == 1)
            {
                (options.QueueLimit, options.QueueFullMode) = (2, (QueueFullMode)(round % 9 / 3));
            }

            var pool = new NativeThreadPool(options);
            var queue = new KeyedQueue<int>(pool, most, limitPerKey: round % 2 == 0 ? null : 50);
            var running = new int[Keys];
            var last = new int[Keys, Producers];
            using var source = new CancellationTokenSource();
            using var calls = new CancellationTokenSource();
            var tasks = new List<Task>[Producers];
            Task<long>? stopped = null;
            StartGate.Run(Producers + 1, index =>
            {
                if (index == Producers)
                {
                    calls.CancelAfter(1);
                    Thread.Yield();
                    stopped = pool.ShutdownAsync(source.Token);
                    if (end == Ending.Stop)
                    {
                        source.Cancel();
                    }

                    return;
                }

                tasks[index] = Produce(index);
            });
            Deadline.Wait(stopped!);
            foreach (Task task in tasks.SelectMany(static list => list))
            {
                Assert.Null(Record.Exception(() => Deadline.Wait(task)) is { } exception and not (ObjectDisposedException or QueueFullException or OperationCanceledException) ? exception : null);
            }

            Deadline.Until(() => queue.KeyCount == 0);

            List<Task> Produce(int producer)
            {
                var list = new List<Task>();
                for (int i = 1; i <= Each; i++)
                {
                    int key = i % Keys;
                    int number = i;
                    CancellationToken token = i % 7 == 0 ? calls.Token : CancellationToken.None;
                    try
                    {
                        list.Add(i % 5 == 0
                            ? queue.RunAsync(
                                key,
                                async () =>
                                {
                                    Enter(key, producer, number);
                                    await Task.Yield();
                                    Interlocked.Decrement(ref running[key]);
                                },
                                token)
                            : queue.Run(
                                key,
                                () =>
                                {
                                    Enter(key, producer, number);
                                    Interlocked.Decrement(ref running[key]);
                                },
                                token));
                    }
                    catch (Exception exception) when (exception is ObjectDisposedException or QueueFullException)
                    {
                    }
                }

                return list;
            }

            void Enter(int key, int producer, int number)
            {
                Assert.InRange(Interlocked.Increment(ref running[key]), 1, most);
                int before = Interlocked.Exchange(ref last[key, producer], number);
                Assert.True(most > 1 || before < number, $"{number} of producer {producer} came after {before}");
            }
        }
    }

    /// <summary>The line of a key is removed while producers look it up, and while a turn that was about to end finds an item.</summary>
    [Fact]
    public void KeysThatComeAndGo_LoseNoItem_AndNeverHaveTwoLines()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        foreach (int round in Soak.Repeat(10))
        {
            int most = 1 + (round % 2);
            var queue = new KeyedQueue<int>(pool, most);
            int ran = 0;
            int overlaps = 0;
            var running = new int[2];
            StartGate.Run(3, _ =>
            {
                for (int i = 0; i < 1000; i++)
                {
                    queue.Queue(i % 2, Run, i % 2);
                    if (i % 8 == 0)
                    {
                        Thread.Yield();
                    }
                }
            });
            Deadline.Until(() => Volatile.Read(ref ran) == 3000, () => $"{ran} of 3000 ran");
            Deadline.Until(() => queue.KeyCount == 0);
            Assert.Equal(0, overlaps);

            void Run(int key)
            {
                if (Interlocked.Increment(ref running[key]) > most)
                {
                    Interlocked.Increment(ref overlaps);
                }

                Interlocked.Decrement(ref running[key]);
                Interlocked.Increment(ref ran);
            }
        }
    }

    [Fact]
    public void ProducersOfASequencer_LoseNoItem()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        var sequencer = new Sequencer(pool);
        foreach (int round in Soak.Repeat(10))
        {
            int ran = 0; // the sequencer is its lock
            StartGate.Run(3, index =>
            {
                for (int i = 0; i < 1000; i++)
                {
                    switch ((index + i) % 4)
                    {
                        case 0:
                            sequencer.Context.Post(_ => ran++, null);
                            break;
                        case 1:
                            _ = Task.Factory.StartNew(() => ran++, CancellationToken.None, TaskCreationOptions.None, sequencer.Scheduler);
                            break;
                        case 2:
                            _ = sequencer.Run(() => ran++, CancellationToken.None);
                            break;
                        default:
                            sequencer.Queue(_ => ran++, 0);
                            break;
                    }
                }
            });
            Deadline.Wait(sequencer.Run(() => { }, CancellationToken.None));
            Assert.Equal(3000, ran);
        }
    }
}
