using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Kestrel;

/// <summary>What is measured of a run, as the end of a row's name.</summary>
/// <param name="Name">Behind the scenario's.</param>
/// <param name="Unit">Of the value.</param>
/// <param name="Better">Which direction is the good one.</param>
/// <param name="Format">In a note.</param>
internal sealed record Measure(string Name, string Unit, Better Better, string Format)
{
    public static readonly Measure Rate = new("rps", "answers/s", Better.Higher, "N0");

    /// <summary>Of the server, for an answer.</summary>
    public static readonly Measure Cpu = new("cpu", "us CPU", Better.Lower, "N1");

    public static readonly Measure P50 = new("p50", "ms", Better.Lower, "N2");
    public static readonly Measure P99 = new("p99", "ms", Better.Lower, "N2");
    public static readonly Measure P999 = new("p99.9", "ms", Better.Lower, "N2");

    /// <summary>Context switches of all threads of the server, for an answer.</summary>
    public static readonly Measure Switches = new("switches", "switches", Better.Lower, "N2");

    /// <summary>System calls of all threads of the server, for an answer; not in the runs that are timed.</summary>
    public static readonly Measure SystemCalls = new("syscalls", "calls", Better.Lower, "N2");

    /// <summary>The same without company, in the same run.</summary>
    public static readonly Measure RateAlone = Rate with { Name = "rps-alone" };

    /// <inheritdoc cref="RateAlone"/>
    public static readonly Measure P99Alone = P99 with { Name = "p99-alone" };

    public static readonly Measure RateOverAlone = new("rps-over-alone", "x", Better.Higher, "N2");

    /// <inheritdoc cref="RateAlone"/>
    public static readonly Measure P50Alone = P50 with { Name = "p50-alone" };

    public static readonly Measure P50OverAlone = new("p50-over-alone", "x", Better.Lower, "N2");

    /// <summary>Of the time, in which some request waited for more than 5 ms.</summary>
    public static readonly Measure Stalled = new("stalled", "%", Better.Lower, "N2");

    public static readonly Measure P99OverAlone = new("p99-over-alone", "x", Better.Lower, "N2");

    /// <summary>What the greedy connection gets.</summary>
    public static readonly Measure Greedy = new("greedy", "answers/s", Better.Higher, "N0");

    /// <summary>Resident memory of the server for a connection, after a collection.</summary>
    public static readonly Measure Memory = new("memory", "KiB", Better.Lower, "N2");

    /// <summary>What of it is the collector's.</summary>
    public static readonly Measure Heap = new("heap", "KiB", Better.Lower, "N2");

    /// <summary>Of a server without requests.</summary>
    public static readonly Measure IdleCpu = new("cpu", "ms CPU per s", Better.Lower, "N2");
}

/// <summary>One value of one run.</summary>
internal readonly record struct Measured(Measure Measure, double Value);
