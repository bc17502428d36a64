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

    /// <summary>Whether tests may take minutes.</summary>
    public static bool IsLong => s_factor > 1;

    public static int Rounds(int usual) => checked(usual * s_factor);

    /// <summary>
    /// The numbers of that many rounds, which end early, behind the first, once they have taken a second (NTH_SOAK seconds): a round that
    /// hands over between threads takes milliseconds instead of microseconds where others have the processors.
    /// </summary>
    public static IEnumerable<int> Repeat(int usual)
    {
        long began = Stopwatch.GetTimestamp();
        int rounds = Rounds(usual);
        for (int round = 0; round < rounds && (round == 0 || Stopwatch.GetElapsedTime(began) < TimeSpan.FromSeconds(s_factor)); round++)
        {
            yield return round;
        }
    }
}
