namespace NativeThreading.Platform;

/// <summary>A <c>Thread.Interrupt</c> that came after the wait it was meant for, and is still pending.</summary>
internal static class Interruption
{
    private static readonly ManualResetEvent s_set = new(initialState: true);

    /// <summary>
    /// Drops a pending interrupt of the calling thread, and says whether there was one. If there is none it takes a quarter of a microsecond,
    /// and some 16 behind a sleep of 10 ms, for its code and locks are cold then.
    /// </summary>
    public static bool Drop()
    {
        try
        {
            s_set.WaitOne(0); // any wait throws it, also one that does not block
            return false;
        }
        catch (ThreadInterruptedException)
        {
            return true;
        }
    }
}
