using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using NativeThreading.Platform;

namespace NativeThreading.Queues;

/// <summary>Excludes a worker and a thief from each other when they take from the worker's queues. It costs the owner two plain stores and a load,
/// and a thief far more: the owner takes millions of times a second, thieves rarely.</summary>
/// <remarks>
/// <para>A thief asks, and the owner gives: the owner moves the items itself at its next take or push, and continues at once. So
/// the owner does not wait for a thief that has lost its processor. If the owner does not answer, because it runs a long item or
/// has itself lost its processor, the thief enters by force, and makes every thread of the process pass a barrier for that.</para>
/// <para>The word holds one of three things: <see langword="null"/>; a <see cref="StealRequest"/> that stands; or the mark of a
/// request for which items are being moved, either by the owner or by the thief, which has then entered. Each change from a
/// request to something else is a compare-and-swap, so one thread makes it. The owner stores <c>busy</c> and reads the word,
/// without a fence in between. The thief publishes its request, and passes the barrier: after it, either the thief sees
/// <c>busy</c>, or the owner's next read sees the request. Model: native/models/steal_gate.pml.</para>
/// </remarks>
internal struct StealGate
{
    private OwnerSide _owner;
    private ThiefSide _thief;

    // Also padded in front: there are the references to the guarded queues, which other threads read at each scan.
    [StructLayout(LayoutKind.Explicit, Size = 2 * PaddedIndex.Line)]
    private struct OwnerSide
    {
        [FieldOffset(PaddedIndex.Line - sizeof(long))] public int Busy;
        [FieldOffset(PaddedIndex.Line)] public StealRequest? Served;
    }

    [StructLayout(LayoutKind.Explicit, Size = PaddedIndex.Line)]
    private struct ThiefSide
    {
        [FieldOffset(0)] public object? Word;
    }

    /// <summary>Whether a request stands, or a thief is inside. The owner asks this after a push.</summary>
    public readonly bool IsAsked
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(in _thief.Word) is not null;
    }

    /// <summary>The request that the owner serves.</summary>
    public readonly StealRequest Served => _owner.Served!;

    /// <summary>Enters as the owner. Waits only while a thief is inside, which moves a bounded batch. <see langword="true"/>: a request stood there,
    /// and the owner leaves by <see cref="EndServing"/> as well.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Enter()
    {
        // No fence between the store and the load: pairs with the process-wide barrier in Ask.
        Counters.Add(Counted.GatePass);
        Chaos.Point("StealGate.Enter");
        Volatile.Write(ref _owner.Busy, 1);
        Chaos.Point("StealGate.Enter, busy");
        return Volatile.Read(ref _thief.Word) is not null && EnterWhileAsked();
    }

    /// <summary>As <see cref="Enter"/>, for a push: <see langword="false"/> instead of a wait.</summary>
    public bool TryEnter(out bool asked)
    {
        Counters.Add(Counted.GatePass);
        Volatile.Write(ref _owner.Busy, 1);
        return TryEnterWhileAsked(waits: false, out asked);
    }

    /// <summary>Leaves as the owner. A release: the changes made inside are visible to the next thief.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Exit()
    {
        Chaos.Point("StealGate.Exit");
        Volatile.Write(ref _owner.Busy, 0);
    }

    /// <summary>From outside, after a push: one attempt to serve a request.</summary>
    public bool TryServe() => Volatile.Read(ref _thief.Word) is StealRequest { IsGiven: true } request && TryServe(request);

    /// <summary>The owner has moved the given items. A release: a thief that sees the word change sees the items, and the mark of their batch. A
    /// request that the owner may not serve stands again.</summary>
    public void EndServing()
    {
        StealRequest request = _owner.Served!;
        _owner.Served = null;
        Chaos.Point("StealGate.EndServing");

        // Before the word: a thief whose request stands again may have seen the owner outside, before the owner entered.
        Volatile.Write(ref _owner.Busy, 0);
        Chaos.Point("StealGate.EndServing, not busy");
        Volatile.Write(ref _thief.Word, request.IsGiven ? null : request);
    }

    /// <summary>Asks as a thief. It polls for the owner's answer, and then tries to enter by force. Giving up strands nothing: the one inside is a
    /// worker, which takes an item, scans for more and makes the next request itself.</summary>
    /// <param name="request">The caller's. The owner may push into the caller's queues until this returns.</param>
    /// <param name="now">The time. A request that has stood for long is displaced: its thief has lost its processor.</param>
    /// <param name="polls">Polls for an answer, before the barrier.</param>
    /// <param name="isPatient">Waits for an owner that is inside, also if the owner has lost its processor there.</param>
    public GateAnswer Ask(StealRequest request, long now, int polls, bool isPatient = false)
    {
        if (!TryClaim(request, now))
        {
            return GateAnswer.Missed;
        }

        Chaos.Point("StealGate.Ask, request stands");
        while (--polls >= 0 && ReferenceEquals(Volatile.Read(ref _thief.Word), request))
        {
            Thread.SpinWait(1);
        }

        Chaos.Point("StealGate.Ask, polled");
        bool isFenced = false;
        for (int poll = 0; ; poll++)
        {
            // Acquire: pairs with the release in EndServing.
            object? word = Volatile.Read(ref _thief.Word);
            if (ReferenceEquals(word, request))
            {
                if (!isFenced)
                {
                    // The owner runs an item, is blocked in one, or sleeps. After this barrier either its store of busy is visible
                    // below, or its next Enter sees the request.
                    Counters.Add(Counted.StealBarrier);
                    ProcessBarrier.Issue();
                    isFenced = true;
                    Chaos.Point("StealGate.Ask, barrier passed");
                }

                if (Volatile.Read(ref _owner.Busy) == 0)
                {
                    Chaos.Point("StealGate.Ask, owner outside");
                    if (TryReplace(request, request.Mark))
                    {
                        return GateAnswer.Entered;
                    }
                }
                else if (!isPatient && poll >= SpinTuning.GateExitPolls && TryReplace(request, null))
                {
                    return GateAnswer.Missed; // the owner has lost its processor inside
                }
            }
            else if (!ReferenceEquals(word, request.Mark))
            {
                return request.Moved != 0 ? GateAnswer.Given : GateAnswer.Missed; // nothing was left, or another request displaced this one
            }
            else if (poll == 0)
            {
                Counters.Add(Counted.GiveWait);
            }

            // The owner is inside, or gives. If it has lost its processor there, this one is free for it.
            Counters.Add(Counted.GiveYield, poll >= SpinTuning.GateExitPolls ? 1 : 0);
            SpinRule.Pause(yields: poll >= SpinTuning.GateExitPolls);
        }
    }

    /// <summary>Enters by force; waits for the owner and for other thieves, as long as they take. One barrier, unless it is displaced.</summary>
    public void EnterByForce(StealRequest demand)
    {
        Debug.Assert(!demand.IsGiven);
        var spin = default(UninterruptedSpin);
        while (Ask(demand, Stopwatch.GetTimestamp(), polls: 0, isPatient: true) != GateAnswer.Entered)
        {
            spin.Once();
        }
    }

    /// <summary>Leaves as a thief that had entered. A release: pairs with the owner's read of the word.</summary>
    public void Leave()
    {
        Chaos.Point("StealGate.Leave");
        Volatile.Write(ref _thief.Word, null);
    }

    private bool TryClaim(StealRequest request, long now)
    {
        Counters.Add(Counted.StealTry);
        object? word = Volatile.Read(ref _thief.Word);
        Chaos.Point("StealGate.TryClaim, word read");
        request.Renew(now);
        if ((word is null || (word is StealRequest standing && standing.IsOld(now)))
            && ReferenceEquals(Interlocked.CompareExchange(ref _thief.Word, request, word), word))
        {
            return true;
        }

        Counters.Add(Counted.StealMiss);
        return false;
    }

    private bool TryReplace(StealRequest request, object? next) =>
        ReferenceEquals(Interlocked.CompareExchange(ref _thief.Word, next, request), request);

    private bool TryServe(StealRequest request)
    {
        Chaos.Point("StealGate.TryServe, request read");
        if (!TryReplace(request, request.Mark))
        {
            return false; // its thief has withdrawn it, or has entered
        }

        _owner.Served = request;
        Chaos.Point("StealGate.TryServe, serves");
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool EnterWhileAsked()
    {
        TryEnterWhileAsked(waits: true, out bool asked);
        return asked;
    }

    private bool TryEnterWhileAsked(bool waits, out bool asked)
    {
        asked = false;
        bool hasWaited = false;
        var spin = default(UninterruptedSpin);
        while (true)
        {
            object? word = Volatile.Read(ref _thief.Word);
            Chaos.Point("StealGate.TryEnterWhileAsked, word read");
            if (word is null)
            {
                return true; // busy is set: as in Enter
            }

            if (word is StealRequest request)
            {
                asked = TryServe(request);
                if (asked)
                {
                    return true;
                }

                continue;
            }

            // A thief has entered.
            if (!waits)
            {
                Exit();
                return false;
            }

            Counters.Add(Counted.GateWait, hasWaited ? 0 : 1);
            hasWaited = true;
            spin.Once(); // an exception here would hit an item or the worker's own code (T137)
        }
    }
}

/// <summary>What a thief that asked at a gate has got.</summary>
internal enum GateAnswer
{
    /// <summary>Nothing: another thief was there, or the owner had nothing left, or was inside and had lost its processor.</summary>
    Missed,

    /// <summary>The owner has moved items into the thief's queues, and the gate is free again.</summary>
    Given,

    /// <summary>The thief is inside, and leaves by <see cref="StealGate.Leave"/>.</summary>
    Entered,
}
