using NativeThreading.Platform;
using NativeThreading.Tracing;

namespace NativeThreading.Starvation;

/// <summary>Starts the threads of pools and loops. On Linux a new thread inherits the nice value of the thread that starts it, and without
/// privilege it cannot lower that value again. So where the calling thread has another value than the process, the monitor starts the
/// thread for it. Everything else that a thread inherits it takes back by itself.</summary>
/// <remarks>A thread of the process's own value starts others directly: to ask the monitor takes two wakes.</remarks>
internal static class ThreadLaunch
{
    private static int s_told;

    /// <summary>Starts a background thread. Throws what starting one throws.</summary>
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

    /// <summary>The first act of a new thread. <see langword="false"/>: it keeps another nice value than the process's, which is reported
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
