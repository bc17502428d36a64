namespace NativeThreading.Starvation;

/// <summary>How long a worker must wait before it counts as blocked; pauses do not count.</summary>
internal static class Proof
{
    /// <summary>Without interruption, by run state and CPU time. No error of either kind was seen from 1 ms on (T82); this is twice that.</summary>
    public static readonly TimeSpan Time = TimeSpan.FromMilliseconds(2);

    /// <summary>
    /// With less than a quarter of it as CPU time and no item ended, however short each wait (<see cref="ShortWaits"/>). Ten
    /// proofs: whoever reads a little from many places waits as well, and is soon done.
    /// </summary>
    public static readonly TimeSpan TimeOfShortWaits = TimeSpan.FromMilliseconds(20);

    /// <summary>
    /// Where run states cannot be read: no item ended and no CPU time used. Long, because a thread that merely waits for
    /// a CPU looks the same.
    /// </summary>
    public static readonly TimeSpan TimeWithoutState = TimeSpan.FromMilliseconds(50);

    /// <summary>Where CPU times cannot be read either: no item ended. A long item looks the same.</summary>
    public static readonly TimeSpan TimeWithoutCpu = TimeSpan.FromMilliseconds(500);
}
