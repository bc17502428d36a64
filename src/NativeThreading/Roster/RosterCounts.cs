namespace NativeThreading.Roster;

/// <summary>What a roster counts at one moment.</summary>
/// <param name="Threads">All threads.</param>
/// <param name="InReserve">Those of them that are parked because enough others run.</param>
internal readonly record struct RosterCounts(int Threads, int InReserve)
{
    /// <summary>Threads that run, or are parked where a request finds them.</summary>
    public int AtWork => Threads - InReserve;
}

/// <summary>Decides under a roster's lock whether it closes.</summary>
internal delegate bool MayClose<TArgument>(ref TArgument argument, RosterCounts counts);
