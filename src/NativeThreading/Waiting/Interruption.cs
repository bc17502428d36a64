namespace NativeThreading.Waiting;

/// <summary>What <c>Thread.Interrupt</c> leaves behind when the wait that it was meant for is over.</summary>
internal static class Interruption
{
    private static readonly ManualResetEvent s_set = new(initialState: true);

    /// <summary>Takes back a pending interrupt of the calling thread. A quarter of a microsecond where there is none.</summary>
    public static void Drop()
    {
        try
        {
            s_set.WaitOne(0); // any wait shows it, also one that is over at once
        }
        catch (ThreadInterruptedException)
        {
            // That was it.
        }
    }
}
