using NativeThreading.Tests.Support;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Tuning;

/// <summary>One spin policy: its numbers are the same in C and in C#, and its rule stands in one place of each.</summary>
public sealed class SpinTuningTests
{
    private static readonly Dictionary<string, long> s_header = TuningHeader.Section("Shared with");

    public static TheoryData<string, long> Shared => new()
    {
        { "NTH__MOST_LINGER_CREDIT", SpinTuning.MostCredit },
        { "NTH__FIRST_LINGER_CREDIT", SpinTuning.FirstCredit },
        { "NTH__LINGER_GAP_CREDIT", SpinTuning.GapCredit },
        { "NTH__LINGER_GAP_FACTOR", SpinTuning.GapFactor },
        { "NTH__FREE_POLLING_NS", SpinTuning.FreePollingNs },
        { "NTH__LOST_CPU_NS", SpinTuning.LostCpuNs },
        { "NTH__CROWDED_POLLS", SpinTuning.CrowdedPolls },
    };

    [Theory]
    [MemberData(nameof(Shared))]
    public void SharedNumber_IsTheHeaders(string name, long managed) => Assert.Equal(s_header[name], managed);

    [Fact]
    public void NoSharedNumberIsForgotten() =>
        Assert.Equal(s_header.Keys.Order(StringComparer.Ordinal), Shared.Select(static row => row.Data.Item1).Order(StringComparer.Ordinal));

    [Fact]
    public void UsualWake_IsWhatTheNativeCoreTakesWhereItCannotMeasure() =>
        Assert.Equal(SpinTuning.UsualWakeNs, TuningHeader.Section("Measuring the latency of a wake")["NTH__FALLBACK_LATENCY_NS"]);

    /// <summary>Apart from the rule, an idle worker yields once to the thread that holds the item it has seen; and hostile schedules yield anywhere.</summary>
    [Fact]
    public void T60_PollsYieldByTheOneRule() => Assert.Equal(
        ["Platform"],
        SourceTree.Sources.Where(static file => File.ReadAllText(file).Contains("Thread.Yield(", StringComparison.Ordinal))
            .Select(static file => Path.GetFileName(Path.GetDirectoryName(file)!)).Except(["instrumentation", "Scheduling"]));
}
