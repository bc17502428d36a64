namespace NativeThreading.Platform;

/// <summary>Waits for an event that no interrupt ends (T137). An interrupt that comes meanwhile stays pending.</summary>
internal static class UninterruptedWait
{
    /// <summary>Waits until the event is set: <see langword="true"/>; or until the deadline. Never ends early: what a handle waits for is a
    /// whole number of milliseconds, which is rounded up (T21).</summary>
    public static bool One(WaitHandle handle, long deadline)
    {
        bool interrupted = false;
        try
        {
            while (true)
            {
                try
                {
                    int milliseconds = MonotonicClock.MillisecondsUntil(deadline);
                    if (handle.WaitOne(milliseconds))
                    {
                        return true;
                    }

                    if (milliseconds == 0)
                    {
                        return false;
                    }
                }
                catch (ThreadInterruptedException)
                {
                    interrupted = true; // and the wait continues
                }
            }
        }
        finally
        {
            if (interrupted)
            {
                Thread.CurrentThread.Interrupt();
            }
        }
    }
}
