namespace NativeThreading.Platform;

/// <summary>NTH_THREAD_*: what a look at a thread has found, in either core.</summary>
internal static class RunState
{
    public const int Runnable = 0;
    public const int Waiting = 1;
    public const int Stopped = 2;

    /// <summary>-ESRCH on every platform the library supports: the thread has ended.</summary>
    public const int Ended = -3;
}
