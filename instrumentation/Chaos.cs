using System.Diagnostics;

namespace NativeThreading.Instrumentation;

/// <summary>The steps of the protocols, as their models name them. In a build with <c>-p:Chaos=true</c> each may yield, spin or sleep, so
/// threads meet in orders that a quiet machine shows once in a million times. In any other build the compiler leaves out the calls and
/// their arguments.</summary>
internal static class Chaos
{
    /// <summary>A point between two accesses to shared state.</summary>
    /// <param name="name">A literal that no other point has: the member, and behind a comma what has just happened.</param>
    [Conditional("CHAOS")]
    public static void Point(string name)
    {
#if CHAOS
        ChaosThread.Current.Pass(name);
#else
        _ = name;
#endif
    }
}
