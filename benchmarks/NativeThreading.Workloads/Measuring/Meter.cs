using System.Diagnostics;

namespace NativeThreading.Workloads;

/// <summary>Measures one run. Rates and times are of the wall clock; CPU time is stated with them (T119).</summary>
internal readonly struct Meter
{
    private readonly ProcessUsage? _usage;
    private readonly long _start;

    private Meter(ProcessUsage? usage)
    {
        _usage = usage;
        _start = Stopwatch.GetTimestamp();
    }

    public static Meter Start() => new(ProcessUsage.Now());

    public Reading Stop()
    {
        TimeSpan elapsed = Stopwatch.GetElapsedTime(_start);
        ProcessUsage? now = ProcessUsage.Now();
        return new Reading(elapsed, now?.CpuNanoseconds - _usage?.CpuNanoseconds, now?.Switches - _usage?.Switches);
    }
}
