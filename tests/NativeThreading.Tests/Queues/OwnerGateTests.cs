using System.Runtime.CompilerServices;
using NativeThreading.Queues;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Queues;

/// <summary>The gate step by step: its three answers and its numbers.</summary>
public sealed class OwnerGateTests
{
    [Fact]
    public void OwnerOutside_ThiefEntersByTheBarrier()
    {
        // The owner never passes the gate here, so that no acknowledgement can come.
        var gate = new StrongBox<OwnerGate>();

        Assert.True(gate.Value.TryRevoke());
        gate.Value.EndRevocation();
    }

    [Fact]
    public void OwnerInside_ThiefGivesUpAndTheGateIsFreeAgain()
    {
        var gate = new StrongBox<OwnerGate>();
        gate.Value.Enter();

        bool revoked = true;
        Race.Run(() => revoked = gate.Value.TryRevoke());
        Assert.False(revoked, "A thief entered while the owner was inside.");

        gate.Value.Exit();
        gate.Value.Enter(); // does not wait: the thief has taken its revocation back
        gate.Value.Exit();
        Race.Run(() => revoked = gate.Value.TryRevoke());
        Assert.True(revoked);
    }

    [Fact]
    public void ThiefInside_SecondThiefIsRefusedAtOnce()
    {
        var gate = new StrongBox<OwnerGate>();
        Assert.True(gate.Value.TryRevoke());

        bool second = true;
        Race.Run(() => second = gate.Value.TryRevoke());
        Assert.False(second);

        gate.Value.EndRevocation();
        Assert.True(gate.Value.TryRevoke());
    }

    [Fact]
    public void ThiefInside_OwnerWaitsUntilItLeaves()
    {
        var gate = new StrongBox<OwnerGate>();
        for (int round = 0; round < 20; round++)
        {
            Assert.True(gate.Value.TryRevoke());
            long left = 0;
            Race.Run(
                () =>
                {
                    gate.Value.Enter();
                    Assert.Equal(1, Volatile.Read(ref left));
                    Assert.False(gate.Value.TryRevoke(), "A thief entered while the owner, which had waited, was inside.");
                    gate.Value.Exit();
                },
                () =>
                {
                    Thread.SpinWait(round * 500); // so that the owner comes before the end, at it and after it
                    Volatile.Write(ref left, 1);
                    gate.Value.EndRevocation();
                });
        }
    }

    [Fact]
    public void RevocationsAreNumbered_SoThatAnOldAcknowledgementIsNoAnswer()
    {
        var gate = new StrongBox<OwnerGate>();
        for (int round = 0; round < 3; round++)
        {
            Assert.True(gate.Value.TryRevoke());
            gate.Value.Acknowledge();
            gate.Value.EndRevocation();

            // The acknowledgement is still there. With the owner inside it must not let a new thief in.
            gate.Value.Enter();
            Assert.False(gate.Value.TryRevoke(), "An acknowledgement of an earlier revocation was taken for an answer.");
            gate.Value.Exit();
        }
    }
}
