namespace NativeThreading.Tests.Support;

/// <summary>Different bodies, each on a thread of its own, all released at once.</summary>
internal static class Race
{
    /// <summary>Returns when all have ended; rethrows what the first failed one threw.</summary>
    public static void Run(params Action[] bodies) => StartGate.Run(bodies.Length, index => bodies[index]());
}
