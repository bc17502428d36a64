using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops;

/// <summary>Numbered work of every kind on one loop, from all sides at once: each piece runs once, and the loop comes to rest.</summary>
[Trait("Category", "Soak")]
public sealed class LoopMixTests : SoakTest
{
    private const int Producers = 4;
    private const int PerProducer = 3_000;

    [Fact]
    public void T23_EveryKindOfWork_RunsExactlyOnce()
    {
        foreach (int round in Budget.Rounds)
        {
            NativeThreadPool pool = NewPool(2);
            using var loop = new EventLoop();
            var ran = new int[Producers * PerProducer];
            int done = 0;
            void Ran(int number)
            {
                Assert.True(loop.IsInLoop);
                ran[number]++;
                Volatile.Write(ref done, done + 1); // the loop's thread alone
            }

            StartGate.Run(Producers, producer =>
            {
                var random = new Random((100 * round) + producer);
                for (int i = 0; i < PerProducer; i++)
                {
                    Start(loop, pool, random.Next(9), (producer * PerProducer) + i, Ran);
                    if (random.Next(100) == 0)
                    {
                        Thread.Yield(); // lets the loop run dry and fall asleep now and then
                    }
                }
            });
            Deadline.Until(() => Volatile.Read(ref done) == ran.Length, $"round {round}: {done} of {ran.Length} ran");
            Assert.Equal(0, Deadline.Result(loop.ShutdownAsync(CancellationToken.None)));
            Assert.All(ran, count => Assert.Equal(1, count));
            Assert.Equal((0L, 0L), (loop.PendingCallbackCount, loop.RanElsewhereCount));
        }
    }

    private static void Start(EventLoop loop, NativeThreadPool pool, int kind, int number, Action<int> ran)
    {
        switch (kind)
        {
            case 0:
                loop.Post(_ => ran(number), null);
                break;
            case 1:
                loop.UnsafePost(_ => ran(number), null);
                break;
            case 2:
                loop.SynchronizationContext.Post(_ => ran(number), null);
                break;
            case 3:
                _ = loop.InvokeAsync(() => ran(number));
                break;
            case 4:
                _ = loop.InvokeAsync(async () =>
                {
                    await Task.Yield();
                    await Task.Delay(TimeSpan.FromMilliseconds(number % 3), loop.TimeProvider);
                    ran(number);
                });
                break;
            case 5:
                loop.Offload(pool, static _ => { }, _ => ran(number), null);
                break;
            case 6:
                _ = loop.InvokeAsync(async () =>
                {
                    await loop.OffloadAsync(pool, async () => await Task.Yield());
                    ran(number);
                });
                break;
            case 7:
                new EventLoopTimer(loop, _ => ran(number), null).Arm(TimeSpan.FromMilliseconds(number % 3));
                break;
            default:
                Task.Factory.StartNew(() => ran(number), CancellationToken.None, TaskCreationOptions.None, loop.Scheduler);
                break;
        }
    }
}
