using NativeThreading.Tables.Soak.Loops;

namespace NativeThreading.Tables.Soak.Lanes;

/// <summary>Event loops, one after the other.</summary>
internal sealed class LoopLane(SoakRun soak, int number) : Lane(soak, number, $"l{number}")
{
    protected override void Round(long round) => new LoopRound(Soak, Phase, $"{Name}-{round}", Soak.Plan.Loop(Number, round)).Run();
}
