using NativeThreading.Tables.Soak.Pools;

namespace NativeThreading.Tables.Soak.Lanes;

/// <summary>Pools that come and go, one after the other, beside whatever the other lanes load the machine with.</summary>
internal sealed class RecyclingLane(SoakRun soak, int number) : Lane(soak, number, $"r{number}")
{
    /// <summary>What the times of whole rounds are collected under.</summary>
    public const string Times = "recycled pool, whole life";

    protected override void Round(long round)
    {
        TimeSpan began = Soak.Clock.Now;
        new PoolRound(Soak, Phase, $"{Name}-{round}", Soak.Plan.Recycled(Number, round)).Run();
        Soak.Times.Add(Times, Soak.Clock.Now - began);
    }
}
