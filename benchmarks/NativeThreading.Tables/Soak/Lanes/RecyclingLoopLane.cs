using NativeThreading.Tables.Soak.Loops;

namespace NativeThreading.Tables.Soak.Lanes;

/// <summary>Event loops that come and go, one after the other.</summary>
internal sealed class RecyclingLoopLane(SoakRun soak, int number) : Lane(soak, number, $"q{number}")
{
    /// <summary>What the times of whole rounds are collected under.</summary>
    public const string Times = "recycled loop, whole life";

    protected override void Round(long round)
    {
        TimeSpan began = Soak.Clock.Now;
        new LoopRound(Soak, Phase, $"{Name}-{round}", Soak.Plan.RecycledLoop(Number, round)).Run();
        Soak.Times.Add(Times, Soak.Clock.Now - began);
    }
}
