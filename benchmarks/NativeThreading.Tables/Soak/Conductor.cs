using System.Diagnostics;
using NativeThreading.Tables.Soak.Lanes;
using NativeThreading.Tables.Soak.Pools;
using NativeThreading.Tables.Soak.Watch;
using NativeThreading.Workers;
using NativeThreading.Workloads.Soak.Watch;

namespace NativeThreading.Tables.Soak;

/// <summary>Starts the lanes, has them rest together now and then, and ends them.</summary>
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
        Lane[] lanes =
        [
            RoundLane.OfPools(soak, 0),
            RoundLane.OfPools(soak, 1),
            RoundLane.OfRecycledPools(soak, 2),
            RoundLane.OfRecycledPools(soak, 3),
            RoundLane.OfRecycledPools(soak, 4),
            RoundLane.OfLoops(soak, 5),
            RoundLane.OfRecycledLoops(soak, 6),
            RoundLane.OfRecycledPools(soak, 7),
            new LoadLane(soak, 8),
            new DisturbingLane(soak, 9),
        ];
        Array.ForEach(lanes, static lane => lane.Start());
        for (bool isFirst = true; !IsOver; isFirst = false)
        {
            Play(isFirst ? s_movement / 3 : s_movement); // the first one is for what is made once
            if (!soak.Verdict.HasFailed)
            {
                Rest(lanes);
            }
        }

        _phase.Enter("end of all lanes", 2 * soak.Limits.Phase);
        soak.Gate.End();
        soak.Until(() => Array.TrueForAll(lanes, static lane => lane.HasEnded));
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

    /// <summary>Everybody rests: pools that live on fall asleep, and what is left of the others is counted.</summary>
    private void Rest(Lane[] lanes)
    {
        _phase.Enter("rest: lanes", 2 * soak.Limits.Phase);
        soak.Gate.Close();
        soak.Until(() => soak.Gate.Resting == lanes.Length || soak.Verdict.HasFailed);
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
            && (word & (WorkerSignal.Requested | WorkerSignal.Lingering)) == 0
            && WorkerSignal.IdleCount(word) + pool.Roster.ReserveCount == pool.ThreadCount;
    }

    private void Judge()
    {
        foreach (NativeThreadPool pool in soak.Neighbours.Where(static pool => pool.RepairCount != 0))
        {
            soak.Verdict.Fail($"{pool}: {pool.RepairCount} wakes were lost and repeated");
        }

        foreach (string life in (string[])[RoundLane.PoolTimes, RoundLane.LoopTimes])
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
