using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Platform;

namespace NativeThreading.Scheduling;

/// <summary>
/// The worker signal of either core: the state word that producers read, and the transitions that are made here, whichever core
/// makes the others. The whole table is in docs/contributors/architecture/queues-and-state-word.md.
/// </summary>
/// <remarks>
/// The word lives in native memory and is freed by a finalizer. A thread that reads it keeps the pool, and with it this object, alive
/// until after the read.
/// </remarks>
internal sealed unsafe class WorkerSignal
{
    /// <summary>With one of these a request gets a worker: an idle one, or a new thread.</summary>
    public const ulong MayGetRunner = SignalWord.IdleMask | SignalWord.Growable;

    /// <summary>
    /// With none of these a producer is done after one plain load. Else it may have to ask for a worker, or, where there is
    /// none to ask for, for the monitor.
    /// </summary>
    public const ulong NeedsSlowPath = MayGetRunner | SignalWord.Unmonitored;

    /// <summary>All that tells whether a worker runs, or is about to.</summary>
    public const ulong WhoRuns = SignalWord.Requested | SignalWord.Lingering | SignalWord.IdleMask;

    private readonly nint _signal;
    private readonly ManagedWorkerSignal? _managed;

    public WorkerSignal()
    {
        if (CoreChoice.IsManaged)
        {
            _managed = new ManagedWorkerSignal();
            WordAddress = _managed.Word;
            GC.SuppressFinalize(this);
            return;
        }

        nint signal;
        NativeCore.Check(NativeMethods.nth_worker_signal_create(&signal), nameof(NativeMethods.nth_worker_signal_create));
        _signal = signal;
        WordAddress = NativeMethods.nth_worker_signal_word(signal);
    }

    // Runs when neither the pool nor any of its threads can reach the word any more.
    ~WorkerSignal()
    {
        if (_signal != 0)
        {
            NativeMethods.nth_worker_signal_destroy(_signal);
        }
    }

    /// <summary>The signal in the native core.</summary>
    public nint Handle => _signal;

    /// <summary>The signal in the managed core.</summary>
    public ManagedWorkerSignal Managed => _managed!;

    public ulong* WordAddress { get; }

    /// <summary>The word, an acquire load.</summary>
    public ulong Word
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref *WordAddress);
    }

    /// <summary>Wakes made since creation.</summary>
    public long WakeCount
    {
        get
        {
            long wakes = CoreChoice.IsManaged ? _managed!.Wakes : NativeMethods.nth_worker_signal_wakes(_signal);
            GC.KeepAlive(this);
            return wakes;
        }
    }

    public static int IdleCount(ulong word) => (int)((word & SignalWord.IdleMask) >> SignalWord.IdleShift);

    /// <summary>The request's time in milliseconds, of <see cref="Now"/>'s clock.</summary>
    public static uint Stamp(ulong word) => (uint)(word >> SignalWord.StampShift);

    /// <summary>How old the request in a word is; 0 for one from the future.</summary>
    public static TimeSpan Age(ulong word)
    {
        uint age = Now - Stamp(word);
        return TimeSpan.FromMilliseconds(age < int.MaxValue ? age : 0);
    }

    /// <summary>The clock of stamps: milliseconds, wrapping; only differences mean anything.</summary>
    public static uint Now => (uint)Environment.TickCount64;

    /// <summary>
    /// Ends the outstanding request. A full fence: pairs with the producer's fence between its publication and its
    /// read of the word. Comes before the first scan (T1, T55).
    /// </summary>
    public void Acknowledge()
    {
        Counters.Add(Counted.WordWrite);
        Chaos.Point("WorkerSignal.Acknowledge");
        Interlocked.And(ref *WordAddress, ~SignalWord.Requested);
        Chaos.Point("WorkerSignal.Acknowledge, done");
    }

    /// <summary>Registers the one lingerer of this pool; <see langword="false"/> if there is one.</summary>
    public bool TryBeginLinger()
    {
        Counters.Add(Counted.WordWrite);
        return (Interlocked.Or(ref *WordAddress, SignalWord.Lingering) & SignalWord.Lingering) == 0;
    }

    /// <summary>The same for a worker that then runs items, only while there is a sentinel: one that a request has chosen is none any more, and while the bit
    /// is set none is chosen.</summary>
    public bool TryBeginThrottle()
    {
        ulong word = Word;
        while ((word & (SignalWord.Lingering | SignalWord.Sentinel)) == SignalWord.Sentinel)
        {
            Counters.Add(Counted.WordWrite);
            Chaos.Point("WorkerSignal.TryBeginThrottle");
            ulong found = Interlocked.CompareExchange(ref *WordAddress, word | SignalWord.Lingering, word);
            if (found == word)
            {
                return true;
            }

            word = found;
        }

        return false;
    }

    /// <summary>Deregisters it. A full fence, for the same pair; comes before the scan that follows (T48).</summary>
    public void EndLinger()
    {
        Counters.Add(Counted.WordWrite);
        Chaos.Point("WorkerSignal.EndLinger");
        Interlocked.And(ref *WordAddress, ~SignalWord.Lingering);
        Chaos.Point("WorkerSignal.EndLinger, done");
    }

    /// <summary>States whether a request may start a thread. A full fence.</summary>
    public void SetGrowable(bool growable)
    {
        Counters.Add(Counted.WordWrite);
        Chaos.Point("WorkerSignal.SetGrowable");
        if (growable)
        {
            Interlocked.Or(ref *WordAddress, SignalWord.Growable);
        }
        else
        {
            Interlocked.And(ref *WordAddress, ~SignalWord.Growable);
        }
    }

    /// <summary>Claims the start of monitoring; <see langword="false"/> if another thread did.</summary>
    public bool TryBeginMonitoring()
    {
        Counters.Add(Counted.WordWrite);
        return (Interlocked.And(ref *WordAddress, ~SignalWord.Unmonitored) & SignalWord.Unmonitored) != 0;
    }

    /// <summary>Ends it. A full fence; comes before the monitor's last sample.</summary>
    public void EndMonitoring()
    {
        Counters.Add(Counted.WordWrite);
        Chaos.Point("WorkerSignal.EndMonitoring");
        Interlocked.Or(ref *WordAddress, SignalWord.Unmonitored);
        Chaos.Point("WorkerSignal.EndMonitoring, done");
    }

    /// <summary>
    /// Takes back a request that has expired, unless it was honoured meanwhile; the caller then makes a new one.
    /// </summary>
    public bool TryWithdrawRequest(ulong expired) =>
        (expired & SignalWord.Requested) != 0
        && Interlocked.CompareExchange(ref *WordAddress, expired & ~SignalWord.Requested, expired) == expired;

    /// <summary>Makes the one request if it is needed.</summary>
    public RequestOutcome Request()
    {
        int outcome = CoreChoice.IsManaged ? (int)_managed!.Request(Now) : NativeMethods.nth_worker_signal_request(_signal, Now);
        GC.KeepAlive(this);
        Debug.Assert(outcome is >= 0 and <= 2);
        Counters.Add(Counted.RequestNotNeeded + outcome);
        return (RequestOutcome)outcome;
    }
}
