using System.Globalization;
using System.Runtime.CompilerServices;

namespace NativeThreading.Tests.Support;

/// <summary>
/// Code that only computes, for tests that the monitor does not take it for blocked. The runtime stops all threads now and then, for more than
/// collections, and the thread that resumes them may lack a processor meanwhile: such a thread was blocked. The kernel counts how often
/// a thread waited of itself, so an attempt in which one that computes did wait shows nothing.
/// </summary>
internal static class Computing
{
    /// <summary>How often the calling thread has waited of itself; 0 where the kernel does not say.</summary>
    public static long Waits
    {
        get
        {
            if (!OperatingSystem.IsLinux())
            {
                return 0;
            }

            const string Name = "voluntary_ctxt_switches:";
            string line = File.ReadLines("/proc/thread-self/status").First(static line => line.StartsWith(Name, StringComparison.Ordinal));
            return long.Parse(line.AsSpan(Name.Length), NumberStyles.AllowLeadingWhite, CultureInfo.InvariantCulture);
        }
    }

    /// <summary>Computes, and returns how often the calling thread waited since before it said that it had started.</summary>
    public static long Until(ManualResetEventSlim stop, Action? started = null)
    {
        long before = Waits;
        started?.Invoke();
        Compute(stop);
        return Waits - before;
    }

    /// <summary>
    /// Until the signal, on any system. Compiled at its first call: where a loop is compiled anew while it runs, its thread waits for the compiler's locks, and is
    /// blocked for as long as their holder has no processor.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static void Compute(ManualResetEventSlim stop)
    {
        while (!stop.IsSet)
        {
            Thread.SpinWait(20);
        }
    }
}
