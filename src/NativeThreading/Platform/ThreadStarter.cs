using System.Runtime.CompilerServices;

namespace NativeThreading.Platform;

/// <summary>Starts threads; the one place where that can fail.</summary>
internal static class ThreadStarter
{
    /// <summary>Starts a background thread that inherits no execution context.</summary>
    public static Thread Start(ThreadStart main, string name, int maxStackSize, ApartmentState apartment = ApartmentState.Unknown)
    {
        Failpoints.ThreadStart?.Invoke(name);
        var thread = new Thread(
            () =>
            {
                // Here and not from outside, where the system wants a file of /proc opened and written for it: 40 us.
                Thread.CurrentThread.Name = name;
                main();
            },
            maxStackSize) { IsBackground = true };
        if (apartment != ApartmentState.Unknown && OperatingSystem.IsWindows())
        {
            thread.SetApartmentState(apartment); // a thread cannot change it once it runs
        }

        thread.UnsafeStart();
        return thread;
    }

    /// <summary>Undoes what an item did to the thread it ran on (T35).</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Reset(Thread thread, string name)
    {
        if (!ReferenceEquals(thread.Name, name))
        {
            thread.Name = name;
        }

        thread.IsBackground = true;
        thread.Priority = ThreadPriority.Normal;
    }
}
