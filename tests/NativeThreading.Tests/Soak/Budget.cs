using System.Diagnostics;

namespace NativeThreading.Tests.SoakTests;

/// <summary>How long a race goes on: short by default, longer with NTH_SOAK=1.</summary>
internal sealed class Budget
{
    private static readonly bool s_long = Support.Soak.Rounds(1) > 1;

    private readonly long _end;

    private Budget(TimeSpan time) => _end = Stopwatch.GetTimestamp() + (long)(time.TotalSeconds * Stopwatch.Frequency);

    public bool IsOver => Stopwatch.GetTimestamp() >= _end;

    public bool HasTime => !IsOver;

    /// <summary>Once by default; the deadlines of Support hold per round.</summary>
    public static IEnumerable<int> Rounds => Enumerable.Range(0, Support.Soak.Rounds(1));

    /// <summary>One round's time.</summary>
    public static Budget Of(int milliseconds) => new(TimeSpan.FromMilliseconds(s_long ? Math.Min(10 * milliseconds, 15_000) : milliseconds));
}
