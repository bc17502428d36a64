using NativeThreading.Tuning;

namespace NativeThreading.Tests.Tuning;

/// <summary>Both cores measure the latency of a wake by the same numbers.</summary>
public sealed class LatencyTuningTests
{
    private static readonly Dictionary<string, long> s_header = TuningHeader.Section("Measuring the latency of a wake");

    public static TheoryData<string, long> Shared => new()
    {
        { "NTH__LATENCY_ROUNDS", LatencyTuning.Rounds },
        { "NTH__LATENCY_ENOUGH_ROUNDS", LatencyTuning.EnoughRounds },
        { "NTH__SHORTEST_LATENCY_NS", LatencyTuning.ShortestNs },
        { "NTH__LONGEST_LATENCY_NS", LatencyTuning.LongestNs },
        { "NTH__FALLBACK_LATENCY_NS", LatencyTuning.FallbackNs },
        { "NTH__LATENCY_SETTLE_NS", LatencyTuning.SettleNs },
        { "NTH__LATENCY_PATIENCE_NS", LatencyTuning.PatienceNs },
        { "NTH__LATENCY_WAIT_FACTOR", LatencyTuning.WaitFactor },
    };

    [Theory]
    [MemberData(nameof(Shared))]
    public void SharedNumber_IsTheHeaders(string name, long managed) => Assert.Equal(s_header[name], managed);

    [Fact]
    public void NoSharedNumberIsForgotten() =>
        Assert.Equal(s_header.Keys.Order(StringComparer.Ordinal), Shared.Select(static row => row.Data.Item1).Order(StringComparer.Ordinal));
}
