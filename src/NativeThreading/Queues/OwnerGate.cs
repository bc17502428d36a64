using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using NativeThreading.Cores;
using NativeThreading.Waiting;

namespace NativeThreading.Queues;

/// <summary>
/// Excludes a worker and a thief from each other when they take from the worker's queues. It costs the owner two plain stores
/// and a load, and a thief far more: the owner takes millions of times a second, thieves rarely.
/// </summary>
/// <remarks>
/// <para>A Dekker handshake in which only the thief pays for the store-load fence. The owner stores <c>busy</c> and reads
/// <c>revocation</c>, without a fence in between. The thief sets <c>revocation</c>. Then one of two things happens. The owner
/// acknowledges this revocation, and stays outside until it ends. Or the thief makes every thread of the process pass a
/// barrier: behind it either the thief sees <c>busy</c>, or the owner's next read sees the revocation.</para>
/// <para>Revocations are numbered (odd: in force, even: over), so the acknowledgement of an earlier one is never taken for an
/// answer. Model: native/models/owner_gate.pml.</para>
/// </remarks>
internal struct OwnerGate
{
    private OwnerSide _owner;
    private ThiefSide _thief;

    // Also padded in front: there lie the references to the guarded queues, which other threads read at each look.
    [StructLayout(LayoutKind.Explicit, Size = 2 * PaddedIndex.Line)]
    private struct OwnerSide
    {
        [FieldOffset(PaddedIndex.Line - sizeof(long))] public int Busy;
        [FieldOffset(PaddedIndex.Line)] public long Acknowledged;
    }

    [StructLayout(LayoutKind.Explicit, Size = PaddedIndex.Line)]
    private struct ThiefSide
    {
        [FieldOffset(0)] public long Revocation;
    }

    /// <summary>Enters as the owner. Waits only while a thief is inside; a thief moves a bounded batch.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Enter()
    {
        // No fence between the store and the load: pairs with the process-wide barrier in TryRevoke.
        Counters.Add(Counted.GatePass);
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
    /// Answers a thief from outside the gate. The owner calls this when it pushes: else a long item that queues thousands of
    /// others would cost each thief its polls and a process-wide barrier.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Acknowledge()
    {
        long revocation = Volatile.Read(ref _thief.Revocation);
        if ((revocation & 1) != 0)
        {
            Chaos.Point("OwnerGate.Acknowledge, revocation read");
            // Release: the thief sees what the owner pushed. The owner's next Enter reads the revocation and so keeps the
            // promise.
            Volatile.Write(ref _owner.Acknowledged, revocation);
        }
    }

    /// <summary>
    /// Enters as a thief. <see langword="false"/>: another thief is inside, or the owner is and was pre-empted there. Giving up
    /// strands nothing: the one inside is a worker, which takes an item, looks for more and makes the next request itself.
    /// </summary>
    public bool TryRevoke()
    {
        Counters.Add(Counted.StealTry);
        long even = Volatile.Read(ref _thief.Revocation);
        Chaos.Point("OwnerGate.TryRevoke, revocation read");
        if ((even & 1) != 0 || Interlocked.CompareExchange(ref _thief.Revocation, even + 1, even) != even)
        {
            Counters.Add(Counted.StealMiss);
            return false;
        }

        Chaos.Point("OwnerGate.TryRevoke, revoked");
        for (int poll = 0; poll < Mechanisms.If(Mechanisms.Acknowledgement, SpinTuning.AcknowledgementPolls); poll++)
        {
            // Acquire: pairs with the release in YieldToThief. The queues are seen as the owner left them.
            if (Volatile.Read(ref _owner.Acknowledged) == even + 1)
            {
                return true;
            }

            Thread.SpinWait(1);
        }

        Chaos.Point("OwnerGate.TryRevoke, not acknowledged");

        // The owner runs an item, is blocked in one, or sleeps. After this barrier either its store of busy is
        // visible below, or its next Enter sees the revocation.
        Counters.Add(Counted.StealBarrier);
        ProcessBarrier.Issue();
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
        Counters.Add(Counted.GateYield);
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
                spin.Once(); // an exception here would hit an item or the worker's own code (T137)
            }

            Chaos.Point("OwnerGate.YieldToThief, revocation over");
            Volatile.Write(ref _owner.Busy, 1);
            Chaos.Point("OwnerGate.YieldToThief, busy again");
        }
    }
}
