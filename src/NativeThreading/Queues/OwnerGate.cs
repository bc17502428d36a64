using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using NativeThreading.Waiting;

namespace NativeThreading.Queues;

/// <summary>
/// Mutual exclusion that costs its owner two plain stores and a load, and everybody else a great deal more. It guards
/// taking from a worker's queues: the owner takes millions of times a second, thieves rarely.
/// </summary>
/// <remarks>
/// <para>A Dekker handshake whose store-load fence is paid by one side only. The owner stores <c>busy</c> and reads
/// <c>revocation</c> with nothing in between; the thief sets <c>revocation</c>, and then either the owner
/// acknowledges that very revocation, which proves that it stays outside until it ends, or the thief makes every
/// thread of the process pass a barrier, after which the owner's <c>busy</c> is visible here, or the owner's next read
/// sees the revocation.</para>
/// <para>Revocations are numbered (odd: in force, even: over), so that an acknowledgement left over from an earlier
/// one can never be taken for an answer. Model: native/models/owner_gate.pml.</para>
/// </remarks>
internal struct OwnerGate
{
    private OwnerSide _owner;
    private ThiefSide _thief;

    // Far from what comes before, too: the references to the guarded queues, which others read as often as they look.
    [StructLayout(LayoutKind.Explicit, Size = 2 * PaddedIndex.Line)]
    private struct OwnerSide
    {
        [FieldOffset(PaddedIndex.Line)] public int Busy;
        [FieldOffset(PaddedIndex.Line + 8)] public long Acknowledged;
    }

    [StructLayout(LayoutKind.Explicit, Size = PaddedIndex.Line)]
    private struct ThiefSide
    {
        [FieldOffset(0)] public long Revocation;
    }

    /// <summary>Enters as the owner. Waits only while a thief is inside, which copies a bounded batch.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Enter()
    {
        // No fence between the store and the load: pairs with the process-wide barrier in TryRevoke.
        Chaos.Point("OwnerGate.Enter");
        Volatile.Write(ref _owner.Busy, 1);
        Chaos.Point("OwnerGate.Enter, busy");
        if ((Volatile.Read(ref _thief.Revocation) & 1) != 0)
        {
            YieldToThief();
        }
    }

    /// <summary>Leaves as the owner. A release: what was done inside is visible to the next thief.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Exit()
    {
        Chaos.Point("OwnerGate.Exit");
        Volatile.Write(ref _owner.Busy, 0);
    }

    /// <summary>
    /// Answers a thief from outside the gate. The owner calls this when it pushes, so that a long item that queues
    /// thousands of others does not make each thief wait in vain and interrupt every processor.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Acknowledge()
    {
        long revocation = Volatile.Read(ref _thief.Revocation);
        if ((revocation & 1) != 0)
        {
            Chaos.Point("OwnerGate.Acknowledge, revocation read");
            // Release: what the owner pushed is visible to the thief. Binds the next Enter, which reads the revocation.
            Volatile.Write(ref _owner.Acknowledged, revocation);
        }
    }

    /// <summary>
    /// Enters as a thief. <see langword="false"/>: another thief is inside, or the owner is and does not leave (it was
    /// pre-empted there). Either one is a worker at its queues, so whoever gives up strands nothing: it will take an
    /// item, look for more and ask for help itself.
    /// </summary>
    public bool TryRevoke()
    {
        long even = Volatile.Read(ref _thief.Revocation);
        Chaos.Point("OwnerGate.TryRevoke, revocation read");
        if ((even & 1) != 0 || Interlocked.CompareExchange(ref _thief.Revocation, even + 1, even) != even)
        {
            return false;
        }

        Chaos.Point("OwnerGate.TryRevoke, revoked");
        for (int poll = 0; poll < Mechanisms.If(Mechanisms.Acknowledgement, SpinTuning.AcknowledgementPolls); poll++)
        {
            // Acquire: pairs with the release in YieldToThief, so that the queues are seen as the owner left them.
            if (Volatile.Read(ref _owner.Acknowledged) == even + 1)
            {
                return true;
            }

            Thread.SpinWait(1);
        }

        Chaos.Point("OwnerGate.TryRevoke, not acknowledged");

        // The owner runs an item, is blocked in one, or sleeps. After this barrier either its store of busy is
        // visible below, or its next Enter sees the revocation.
        Interlocked.MemoryBarrierProcessWide();
        Chaos.Point("OwnerGate.TryRevoke, barrier passed");
        for (int poll = 0; poll < SpinTuning.GateExitPolls; poll++)
        {
            if (Volatile.Read(ref _owner.Busy) == 0 || Volatile.Read(ref _owner.Acknowledged) == even + 1)
            {
                return true;
            }

            Thread.SpinWait(1);
        }

        EndRevocation();
        return false;
    }

    /// <summary>Leaves as a thief. A release: pairs with the owner's read in Enter or YieldToThief.</summary>
    public void EndRevocation()
    {
        Chaos.Point("OwnerGate.EndRevocation");
        Volatile.Write(ref _thief.Revocation, _thief.Revocation + 1);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void YieldToThief()
    {
        var spin = default(UninterruptedSpin);
        long revocation;
        while (((revocation = Volatile.Read(ref _thief.Revocation)) & 1) != 0)
        {
            Chaos.Point("OwnerGate.YieldToThief, revocation read");
            Volatile.Write(ref _owner.Busy, 0);
            Chaos.Point("OwnerGate.YieldToThief, not busy");
            Volatile.Write(ref _owner.Acknowledged, revocation);
            while (Volatile.Read(ref _thief.Revocation) == revocation)
            {
                spin.Once(); // an exception from here would be an item's, or the machinery's (T137)
            }

            Chaos.Point("OwnerGate.YieldToThief, revocation over");
            Volatile.Write(ref _owner.Busy, 1);
            Chaos.Point("OwnerGate.YieldToThief, busy again");
        }
    }
}
