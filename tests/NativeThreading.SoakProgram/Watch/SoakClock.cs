using System.Diagnostics;

namespace NativeThreading.SoakProgram.Watch;

/// <summary>The time that the process was allowed to run: while it is stopped as a whole, no deadline passes. Thread-safe.</summary>
/// <param name="now">The clock beneath; the monotonic one by default.</param>
internal sealed class SoakClock(Func<TimeSpan>? now = null)
{
    private readonly Func<TimeSpan> _now = now ?? (static () => Stopwatch.GetElapsedTime(0));
    private long _stopped;

    public TimeSpan Now => _now() - Stopped;

    /// <summary>How long the process has been stopped in all.</summary>
    public TimeSpan Stopped => TimeSpan.FromTicks(Volatile.Read(ref _stopped));

    /// <summary>It was stopped for so long.</summary>
    public void WasStopped(TimeSpan time) => Interlocked.Add(ref _stopped, time.Ticks);
}
