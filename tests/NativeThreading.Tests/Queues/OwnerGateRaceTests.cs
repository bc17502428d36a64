using System.Runtime.CompilerServices;
using NativeThreading.Queues;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Queues;

/// <summary>Owner and thieves exclude each other, however the owner spends its time.</summary>
public sealed class OwnerGateRaceTests
{
    public static TheoryData<int, int> Shapes() => new()
    {
        { 1, 0 }, // the owner passes its gate all the time: thieves enter by its acknowledgement
        { 3, 0 },
        { 1, 2_000 }, // the owner is outside for longer than a thief polls: thieves enter by the barrier
        { 3, 2_000 },
        { 2, 60 }, // about the time for which a thief waits for an answer: the two paths meet
    };

    [Theory]
    [MemberData(nameof(Shapes))]
    public void AtMostOneIsInside(int thieves, int spinsOutside)
    {
        var gate = new StrongBox<OwnerGate>();
        long entered = 0; // counts the entries of all, and is written inside only, by plain stores
        long expected = 0;
        bool stop = false;

        void Owner()
        {
            long round = 0;
            for (Budget budget = Budget.Of(250); round % 64 != 0 || budget.HasTime; round++)
            {
                gate.Value.Enter();
                entered++;
                gate.Value.Exit();
                if (spinsOutside != 0)
                {
                    Thread.SpinWait((int)(round % spinsOutside));
                }
            }

            Interlocked.Add(ref expected, round);
            Volatile.Write(ref stop, true);
        }

        void Thief()
        {
            long successes = 0;
            while (!Volatile.Read(ref stop))
            {
                if (gate.Value.TryRevoke())
                {
                    entered++;
                    gate.Value.EndRevocation();
                    successes++;
                }

                Thread.SpinWait(20);
            }

            Interlocked.Add(ref expected, successes);
        }

        Race.Run([Owner, .. Enumerable.Repeat((Action)Thief, thieves)]);

        Assert.Equal(expected, entered);
    }

    [Fact]
    public void OwnerThatBlocksOutside_DoesNotKeepThievesOut()
    {
        var ring = new GatedRing();
        using var stolen = new ManualResetEventSlim();
        Race.Run(
            () =>
            {
                ring.Push(1);
                ring.Push(2);
                Assert.True(ring.TryPop(out _)); // has been inside, and is now blocked in an item, outside
                Deadline.Wait(stolen);
            },
            () =>
            {
                Deadline.Until(() => ring.Count == 1 && ring.TrySteal(out _));
                stolen.Set();
            });
        Assert.Equal(0, ring.Count);
    }
}
