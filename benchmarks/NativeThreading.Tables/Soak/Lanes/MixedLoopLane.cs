using NativeThreading.Tables.Soak.Loops;

namespace NativeThreading.Tables.Soak.Lanes;

/// <summary>Event loops with many things on them, one after the other.</summary>
internal sealed class MixedLoopLane(SoakRun soak, int number) : Lane(soak, number, $"l{number}")
{
    protected override void Round(long round) => new LoopRound(Soak, Phase, $"{Name}-{round}", Soak.Plan.MixedLoop(Number, round)).Run();
}
