using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>
/// Sockets that are registered, modified and disposed of at random by three threads and the loop, while bytes flow: each
/// byte arrives once and in order.
/// </summary>
[Collection(nameof(SoakTest))]
public sealed class RegistrationSoakTests : DescriptorTest
{
    private const int Threads = 3;
    private const int Sockets = 200;

    private readonly SoakedPair[] _pairs;

    public RegistrationSoakTests() => _pairs = [.. Enumerable.Range(0, Sockets).Select(i => new SoakedPair(Loop, i))];

    protected override void Release() => Array.ForEach(_pairs, pair => pair.Dispose());

    [Fact]
    public void T76_EveryByteArrivesOnceAndInOrder()
    {
        var budget = Budget.Of(1_000);
        bool isOver = false;
        var random = new Random(7);
        Loop.Post(Stir, null);

        StartGate.Run(Threads, thread =>
        {
            var own = new Random(thread);
            for (int i = 0; budget.HasTime; i++)
            {
                SoakedPair pair = _pairs[(own.Next(Sockets / Threads) * Threads) + thread];
                pair.Write(own.Next(1, 2_000));
                if (i % 4 == 0)
                {
                    Change(pair, own);
                }
            }
        });

        Volatile.Write(ref isOver, true);
        Array.ForEach(_pairs, pair => pair.Register(EventLoopInterest.Read));
        Deadline.Until(() => Array.TrueForAll(_pairs, pair => pair.Received == pair.Sent), "all bytes arrive");
        Assert.DoesNotContain(_pairs, pair => pair.IsGarbled);
        Assert.True(_pairs.Sum(pair => pair.Sent) > 100_000, "Hardly anything flowed.");

        // The loop's own part: it wakes up what a handler or a thread has put to sleep.
        void Stir(object? state)
        {
            _pairs[random.Next(Sockets)].TrySetInterest(EventLoopInterest.Read | EventLoopInterest.EdgeTriggered);
            if (!Volatile.Read(ref isOver))
            {
                Loop.Post(Stir, null);
            }
        }
    }

    private void Change(SoakedPair pair, Random random)
    {
        switch (random.Next(6))
        {
            case 0:
                pair.Register(EventLoopInterest.Read);
                break;
            case 1:
                OnLoop(() => pair.Register(EventLoopInterest.Read | EventLoopInterest.EdgeTriggered));
                break;
            case 2:
                pair.TrySetInterest(EventLoopInterest.None);
                break;
            case 3:
                pair.TrySetInterest(EventLoopInterest.Read);
                break;
            case 4:
                OnLoop(pair.Unregister);
                break;
            default:
                pair.Unregister();
                break;
        }
    }
}
