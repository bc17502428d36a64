using System.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Scheduling;
using NativeThreading.SoakProgram.Pools;
using NativeThreading.SoakProgram.Tracks;
using NativeThreading.SoakProgram.Watch;

namespace NativeThreading.SoakProgram;

/// <summary>Starts the tracks, has them rest together now and then, and ends them.</summary>
internal sealed class Conductor(SoakRun soak)
{
    private static readonly TimeSpan s_movement = TimeSpan.FromSeconds(15);

    private readonly PhaseWatch _phase = soak.Deadlines.Watch("conductor");
    private readonly long _began = Stopwatch.GetTimestamp();

    public Bounds Bounds { get; } = new(soak.Limits, soak.Verdict);

    /// <summary>How long all of it has taken.</summary>
    public TimeSpan Elapsed => Stopwatch.GetElapsedTime(_began);

    /// <summary>Until the time is over, or something was found.</summary>
    public void Run()
    {
        using var failures = new StartFailures(soak.Tally);
        using var repairs = new RepairListener(soak.Verdict);
        Track[] tracks =
        [
            RoundTrack.OfPools(soak, 0),
            RoundTrack.OfPools(soak, 1),
            RoundTrack.OfRecycledPools(soak, 2),
            RoundTrack.OfRecycledPools(soak, 3),
            RoundTrack.OfRecycledPools(soak, 4),
            RoundTrack.OfLoops(soak, 5),
            RoundTrack.OfRecycledLoops(soak, 6),
            RoundTrack.OfRecycledPools(soak, 7),
            new LoadTrack(soak, 8),
            new DisturbingTrack(soak, 9),
        ];
        Array.ForEach(tracks, static track => track.Start());
        for (bool isFirst = true; !IsOver; isFirst = false)
        {
            Play(isFirst ? s_movement / 3 : s_movement); // the first one is for what is made once
            if (!soak.Verdict.HasFailed)
            {
                Rest(tracks);
            }
        }

        _phase.Enter("end of all tracks", 2 * soak.Limits.Phase);
        soak.Gate.End();
        soak.Until(() => Array.TrueForAll(tracks, static track => track.HasEnded));
        _phase.Leave();
        Judge();
    }

    private bool IsOver => soak.Verdict.HasFailed || Elapsed > soak.Options.Time;

    private void Play(TimeSpan time)
    {
        long began = Stopwatch.GetTimestamp();
        for (int i = 0; !IsOver && Stopwatch.GetElapsedTime(began) < time; i++)
        {
            Thread.Sleep(20);
            if (i % 10 == 0)
            {
                Bounds.Look();
            }
        }
    }

    /// <summary>All tracks rest: pools that live on fall asleep, and what is left of the others is counted.</summary>
    private void Rest(Track[] tracks)
    {
        _phase.Enter("rest: tracks", 2 * soak.Limits.Phase);
        soak.Gate.Close();
        soak.Until(() => soak.Gate.Resting == tracks.Length || soak.Verdict.HasFailed);
        _phase.Enter("rest: quiet", soak.Limits.Phase);
        soak.Until(() => soak.Verdict.HasFailed || Array.TrueForAll(soak.Neighbours, IsQuiet));
        _phase.Enter("rest: bounds", 2 * soak.Limits.Phase);
        if (!soak.Verdict.HasFailed)
        {
            Bounds.LookAtRest();
            soak.Tally.Add("rests");
        }

        _phase.Leave();
        soak.Gate.Open();
    }

    private static bool IsQuiet(NativeThreadPool pool)
    {
        ulong word = pool.Signal.Word;
        return pool.PendingWorkItemCount == 0
            && (word & (SignalWord.Requested | SignalWord.Lingering)) == 0
            && WorkerSignal.IdleCount(word) + pool.State.ReserveCount == pool.ThreadCount;
    }

    private void Judge()
    {
        foreach (NativeThreadPool pool in soak.Neighbours.Where(static pool => pool.RepairCount != 0))
        {
            soak.Verdict.Fail($"{pool}: {pool.RepairCount} wakes were lost and repeated");
        }

        foreach (string life in (string[])[RoundTrack.PoolTimes, RoundTrack.LoopTimes])
        {
            if (soak.Times.Of(life) is { } recycled)
            {
                Demand(recycled.P99 <= soak.Limits.RecycledP99, $"{life}: 99 of 100 took up to {recycled.P99.TotalSeconds:0.0} s");
                Demand(recycled.Worst <= soak.Limits.RecycledWorst, $"{life}: one took {recycled.Worst.TotalSeconds:0.0} s");
            }
        }
    }

    private void Demand(bool holds, string otherwise)
    {
        if (!holds)
        {
            soak.Verdict.Fail(otherwise);
        }
    }
}
