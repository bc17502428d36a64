using NativeThreading.Tables.Soak.Pools;

namespace NativeThreading.Tables.Soak.Lanes;

/// <summary>Pools with many things on them, one after the other.</summary>
internal sealed class MixedLane(SoakRun soak, int number) : Lane(soak, number, $"m{number}")
{
    protected override void Round(long round) => new PoolRound(Soak, Phase, $"{Name}-{round}", Soak.Plan.Mixed(Number, round)).Run();
}
