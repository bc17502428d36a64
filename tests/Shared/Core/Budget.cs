using System.Diagnostics;

namespace NativeThreading.Tests.Support;

/// <summary>How long a race lasts, or how often it runs: see <see cref="Soak"/>.</summary>
internal sealed class Budget
{
    private readonly long _end;

    private Budget(TimeSpan time) => _end = Stopwatch.GetTimestamp() + (long)(time.TotalSeconds * Stopwatch.Frequency);

    public bool IsOver => Stopwatch.GetTimestamp() >= _end;

    public bool HasTime => !IsOver;

    /// <summary>Once by default; the deadlines of Support hold per round.</summary>
    public static IEnumerable<int> Rounds => Enumerable.Range(0, Soak.Rounds(1));

    /// <summary>One round's time, well below a deadline.</summary>
    public static Budget Of(int milliseconds) => new(TimeSpan.FromMilliseconds(Math.Min(Soak.Rounds(milliseconds), 15_000)));
}
