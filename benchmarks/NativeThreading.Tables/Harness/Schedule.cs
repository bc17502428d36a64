namespace NativeThreading.Tables.Harness;

/// <summary>How often each row is run, rounds being added until the time is used up, within the two bounds; and whether the peers run, too.</summary>
internal readonly record struct Schedule(int MaxWarmUps, int MinRounds, int MaxRounds, TimeSpan Budget, bool OursAlone)
{
    /// <summary>The bounds that every table keeps, whatever its budget.</summary>
    public static Schedule For(RunOptions options, double seconds, double quickSeconds) => options.Quick
        ? new Schedule(4, 3, 7, TimeSpan.FromSeconds(quickSeconds), options.OursAlone)
        : new Schedule(6, 5, 31, TimeSpan.FromSeconds(seconds), options.OursAlone);
}
