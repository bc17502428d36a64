using System.Diagnostics;
using System.Globalization;

namespace NativeThreading.Tests.Support;

/// <summary>
/// Repetitions of what depends on luck: few by default, NTH_SOAK times as many where that is set, in C too
/// (native/tests/harness.c).
/// </summary>
internal static class Soak
{
    private static readonly int s_factor = int.Parse(Environment.GetEnvironmentVariable("NTH_SOAK") ?? "1", CultureInfo.InvariantCulture);

    /// <summary>Half of a deadline: threads that a test joins may repeat for as long.</summary>
    private static readonly TimeSpan s_longestRepeat = TimeSpan.FromSeconds(Math.Min(s_factor, 15));

    /// <summary>Whether tests may take minutes.</summary>
    public static bool IsLong => s_factor > 1;

    public static int Rounds(int usual) => checked(usual * s_factor);

    /// <summary>
    /// Returns the numbers of that many rounds, but no further number after a second (NTH_SOAK seconds, at most 15). On a busy machine, a round that
    /// hands over between threads takes milliseconds instead of microseconds: a fixed number of such rounds would exceed every deadline.
    /// </summary>
    public static IEnumerable<int> Repeat(int usual)
    {
        long started = Stopwatch.GetTimestamp();
        int rounds = Rounds(usual);
        for (int round = 0; round < rounds && (round == 0 || Stopwatch.GetElapsedTime(started) < s_longestRepeat); round++)
        {
            yield return round;
        }
    }
}
