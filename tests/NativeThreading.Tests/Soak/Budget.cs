using System.Diagnostics;

namespace NativeThreading.Tests.SoakTests;

/// <summary>How long a race goes on, or how often: see <see cref="Support.Soak"/>.</summary>
internal sealed class Budget
{
    private readonly long _end;

    private Budget(TimeSpan time) => _end = Stopwatch.GetTimestamp() + (long)(time.TotalSeconds * Stopwatch.Frequency);

    public bool IsOver => Stopwatch.GetTimestamp() >= _end;

    public bool HasTime => !IsOver;

    /// <summary>Once by default; the deadlines of Support hold per round.</summary>
    public static IEnumerable<int> Rounds => Enumerable.Range(0, Support.Soak.Rounds(1));

    /// <summary>One round's time, well below a deadline.</summary>
    public static Budget Of(int milliseconds) => new(TimeSpan.FromMilliseconds(Math.Min(Support.Soak.Rounds(milliseconds), 15_000)));
}
