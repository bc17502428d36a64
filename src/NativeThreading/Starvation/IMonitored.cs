namespace NativeThreading.Starvation;

/// <summary>What the monitor looks after: a pool, or a loop that hands over.</summary>
internal interface IMonitored
{
    /// <summary>Looks once. Returns the time to the next look, or <see langword="null"/> if it needs none any more.</summary>
    TimeSpan? Look(PauseFreeClock clock);
}
