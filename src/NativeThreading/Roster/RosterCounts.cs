namespace NativeThreading.Roster;

/// <summary>A roster's counts at one moment, read under its lock.</summary>
/// <param name="Threads">All threads.</param>
/// <param name="InReserve">Those of them that are in the reserve.</param>
internal readonly record struct RosterCounts(int Threads, int InReserve)
{
    /// <summary>Threads that run, or are parked and can be asked by a request.</summary>
    public int AtWork => Threads - InReserve;
}

/// <summary>Decides under the roster's lock whether the roster closes.</summary>
internal delegate bool MayClose<TArgument>(ref TArgument argument, RosterCounts counts);
