using System.Diagnostics.CodeAnalysis;
using NativeThreading.Threads;
using NativeThreading.Waiting;

namespace NativeThreading.ManagedCore;

/// <summary>How long a parked thread takes from its wake until it runs: the time that lingering is worth. Measured once, by the first caller,
/// with a helper thread of its own. As native/src/wake_latency.c.</summary>
[SuppressMessage("Design", "CA1001", Justification = "The helper disposes of the event, as its last act.")]
internal sealed class ManagedWakeLatency
{
    private const int Unknown = 0;
    private const int Measuring = 1;
    private const int Known = 2;
    private const int LastTurn = -1;

    private static readonly ManualResetEvent s_known = new(initialState: false);
    private static int s_state;
    private static long s_latency; // published by the store of Known

    private readonly AutoResetEvent _wake = new(initialState: false);
    private int _turn; // odd: the helper's move
    private long _ranAt; // these two are written by the helper before it makes the turn even
    private int _ranOn;

    /// <summary>In nanoseconds; 0 where spinning cannot pay.</summary>
    /// <remarks>Others wait for a bounded time instead of at a lock: they may hold what the measuring thread needs, a lock of the runtime in
    /// whose static constructor they are (T41).</remarks>
    public static long Nanoseconds
    {
        get
        {
            if (!ManagedLingerBudget.SpinningPays)
            {
                return 0;
            }

            if (Interlocked.CompareExchange(ref s_state, Measuring, Unknown) == Unknown)
            {
                s_latency = new ManagedWakeLatency().Measure();
                Volatile.Write(ref s_state, Known);
                s_known.Set();
            }
            else if (Volatile.Read(ref s_state) != Known)
            {
                UninterruptedWait.One(s_known, MonotonicClock.After(LatencyTuning.WaitFactor * LatencyTuning.PatienceNs));
            }

            return Volatile.Read(ref s_state) == Known ? s_latency : LatencyTuning.FallbackNs;
        }
    }

    private long Measure()
    {
        try
        {
            ThreadStarter.Start(Help, "nth-latency", LatencyTuning.HelperStack);
        }
        catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
        {
            return LatencyTuning.FallbackNs;
        }

        var samples = new List<long>(LatencyTuning.Rounds);
        long giveUp = MonotonicClock.After(LatencyTuning.PatienceNs);
        for (int turn = 0; samples.Count < LatencyTuning.Rounds && MonotonicClock.Now < giveUp; turn += 2)
        {
            SpinUntil(MonotonicClock.After(LatencyTuning.SettleNs));
            long wokenAt = MonotonicClock.Now;
            Wake(turn + 1);
            while (Volatile.Read(ref _turn) == turn + 1 && MonotonicClock.Now < giveUp)
            {
                SpinRule.Pause(yields: false);
            }

            if (Volatile.Read(ref _turn) == turn + 1)
            {
                break;
            }

            // Where the scheduler has put the helper on this CPU, it ran at once for a tenth of the price: not the latency meant.
            if (_ranOn != Thread.GetCurrentProcessorId())
            {
                samples.Add(_ranAt - wokenAt);
            }
        }

        Wake(LastTurn); // it ends by itself, and nobody waits for that: this may be a static constructor, and it may need the same lock
        if (samples.Count < LatencyTuning.EnoughRounds)
        {
            return LatencyTuning.FallbackNs;
        }

        samples.Sort();
        return Math.Clamp(samples[samples.Count / 2], LatencyTuning.ShortestNs, LatencyTuning.LongestNs);
    }

    private void Wake(int turn)
    {
        Interlocked.Exchange(ref _turn, turn);
        _wake.Set();
    }

    private void Help()
    {
        while (true)
        {
            UninterruptedWait.One(_wake, MonotonicClock.Never);
            long ranAt = MonotonicClock.Now;
            int turn = Volatile.Read(ref _turn);
            if (turn == LastTurn)
            {
                _wake.Dispose();
                return;
            }

            (_ranAt, _ranOn) = (ranAt, Thread.GetCurrentProcessorId());
            Interlocked.CompareExchange(ref _turn, turn + 1, turn); // the caller may have given up and set LastTurn meanwhile
        }
    }

    private static void SpinUntil(long time)
    {
        while (MonotonicClock.Now < time)
        {
            SpinRule.Pause(yields: false);
        }
    }
}
