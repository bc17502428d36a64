using System.Diagnostics;

namespace NativeThreading.Hostile;

/// <summary>
/// The steps of the protocols, as their models name them. In a build with <c>-p:Chaos=true</c> each may yield, spin or sleep, so
/// that threads meet in orders that a quiet machine shows once in a million times. In any other build the compiler leaves the
/// calls out, with their arguments.
/// </summary>
internal static class Chaos
{
    /// <summary>Between two accesses to what threads share.</summary>
    /// <param name="name">A literal that no other point has: where it is, and behind a comma what has just happened.</param>
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
