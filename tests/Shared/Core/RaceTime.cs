using System.Diagnostics;
using System.Globalization;

namespace NativeThreading.Tests.Support;

/// <summary>
/// Rounds of one race, for as long as its time lasts: 0.15 seconds, or what NTH_RACE_SECONDS says. Under hostile schedules (see
/// CONTRIBUTING) that is how long each race is looked for.
/// </summary>
internal static class RaceTime
{
    private static readonly TimeSpan s_time =
        double.TryParse(Environment.GetEnvironmentVariable("NTH_RACE_SECONDS"), CultureInfo.InvariantCulture, out double seconds)
            ? TimeSpan.FromSeconds(seconds)
            : TimeSpan.FromSeconds(0.15);

    /// <summary>
    /// An item for which no worker was woken is found a second later all the same, by a last check or by the watchdog: an item that takes
    /// that long was stranded.
    /// </summary>
    private static readonly TimeSpan s_stranded = 0.9 * PoolProbe.RequestExpiry;

    /// <summary>The numbers of the rounds, at least one.</summary>
    /// <param name="shares">More than one for a race that is met seldom.</param>
    public static IEnumerable<int> Rounds(int shares = 1)
    {
        long began = Stopwatch.GetTimestamp();
        int round = 0;
        do
        {
            yield return round++;
        }
        while (Stopwatch.GetElapsedTime(began) < shares * s_time);
    }

    /// <summary>Waits for items for which a thread was requested.</summary>
    public static void WaitSoon(CountdownEvent items, string what) => Soon(() => Deadline.Wait(items, what), what);

    /// <summary>As <see cref="WaitSoon"/> for any wait.</summary>
    public static void Soon(Action wait, string what)
    {
        long began = Stopwatch.GetTimestamp();
        wait();
        TimeSpan taken = Stopwatch.GetElapsedTime(began);
        Assert.True(taken < s_stranded, $"{what} took {taken.TotalMilliseconds} ms: stranded until a thread checked on its own");
    }
}
