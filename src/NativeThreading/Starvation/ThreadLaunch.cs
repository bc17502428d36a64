using NativeThreading.Platform;
using NativeThreading.Tracing;

namespace NativeThreading.Starvation;

/// <summary>Starts the threads of pools and loops. On Linux a new thread inherits the nice value of the thread that starts it, and without
/// privilege it cannot lower that value again. So if the calling thread has another value than the process, the monitor starts the thread for it. The
/// new thread itself resets everything else that it inherits.</summary>
/// <remarks>A thread with the nice value of the process starts other threads directly, because the way through the monitor takes two
/// wake-ups.</remarks>
internal static class ThreadLaunch
{
    private static int s_told;

    /// <summary>Starts a background thread. Throws the exceptions of a thread start.</summary>
    public static Thread Start(ThreadStart main, string name, int maxStackSize, ApartmentState apartment = ApartmentState.Unknown)
    {
        ThreadStart begin = () =>
        {
            TakeBackInherited(name);
            main();
        };
        return (ThreadNice.Inherited == 0 ? null : StarvationMonitor.TryStart(() => ThreadStarter.Start(begin, name, maxStackSize, apartment)))
            ?? ThreadStarter.Start(begin, name, maxStackSize, apartment);
    }

    /// <summary>Called first by a new thread. <see langword="false"/>: it keeps another nice value than that of the process, which an event reports
    /// once.</summary>
    public static bool TakeBackInherited(string name)
    {
        if (ThreadNice.TryTakeBack())
        {
            return true;
        }

        if (Interlocked.Exchange(ref s_told, 1) == 0)
        {
            NativeThreadingEventSource.Log.PriorityInherited(name, ThreadNice.Inherited);
        }

        return false;
    }
}
