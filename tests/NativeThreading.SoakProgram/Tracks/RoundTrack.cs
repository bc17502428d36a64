using NativeThreading.SoakProgram.Loops;
using NativeThreading.SoakProgram.Pools;
using NativeThreading.SoakProgram.Watch;

namespace NativeThreading.SoakProgram.Tracks;

/// <summary>Pools or loops, one after the other.</summary>
/// <param name="soak">The soak.</param>
/// <param name="number">Of the track, in the plan.</param>
/// <param name="name">Of the track.</param>
/// <param name="run">The life of one: its phases, its name, and which it is.</param>
/// <param name="times">What the times of whole lives are collected under, if they are.</param>
internal sealed class RoundTrack(SoakRun soak, int number, string name, Action<PhaseWatch, string, long> run, string? times = null)
    : Track(soak, number, name)
{
    public const string PoolTimes = "recycled pool, whole life";
    public const string LoopTimes = "recycled loop, whole life";

    /// <summary>Pools with many things on them.</summary>
    public static RoundTrack OfPools(SoakRun soak, int number) => new(soak, number, $"m{number}",
        (phase, name, round) => new PoolRound(soak, phase, name, soak.Plan.Mixed(number, round)).Run());

    /// <summary>Pools that come and go, while the other tracks load the machine.</summary>
    public static RoundTrack OfRecycledPools(SoakRun soak, int number) => new(soak, number, $"r{number}",
        (phase, name, round) => new PoolRound(soak, phase, name, soak.Plan.Recycled(number, round)).Run(), PoolTimes);

    /// <summary>Event loops with many things on them.</summary>
    public static RoundTrack OfLoops(SoakRun soak, int number) => new(soak, number, $"l{number}",
        (phase, name, round) => new LoopRound(soak, phase, name, soak.Plan.MixedLoop(number, round)).Run());

    /// <summary>Event loops that come and go.</summary>
    public static RoundTrack OfRecycledLoops(SoakRun soak, int number) => new(soak, number, $"q{number}",
        (phase, name, round) => new LoopRound(soak, phase, name, soak.Plan.RecycledLoop(number, round)).Run(), LoopTimes);

    protected override void Round(long round)
    {
        TimeSpan began = Soak.Clock.Now;
        run(Phase, $"{Name}-{round}", round);
        if (times is not null)
        {
            Soak.Times.Add(times, Soak.Clock.Now - began);
        }
    }
}
