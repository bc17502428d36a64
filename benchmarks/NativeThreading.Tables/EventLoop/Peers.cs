using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.EventLoops;

/// <summary>The peers of a NativeThreading row: libuv and the bare system calls, both measured by the driver.</summary>
internal sealed class Peers(NativeDriver? driver, PeerPrograms programs)
{
    /// <summary>Of each run: enough for a p99, and no more than a tenth of a second.</summary>
    public const int Wakes = 500;

    private readonly bool _libuv = driver is not null && programs.LibuvVersion is not null;

    public NativeDriver? Driver => driver;

    /// <summary>For every note: which libuv it is, or how to get one.</summary>
    public string Note => programs.Missing ?? $"libuv {programs.LibuvVersion}";

    public Contender[] Libuv(string row) => _libuv ? [driver!.Contender(row, NativeDriver.Libuv, NativeDriver.Libuv)] : [];

    public Contender? Floor(string row) => driver?.Contender(row, Contender.Floor, Contender.Floor);

    /// <summary>The rows p50 and p99 of waking a loop that sleeps on another thread.</summary>
    public Row[] CrossThread(string prefix, WakeLatencies ours)
    {
        WakeLatencies? libuv = _libuv ? Latencies(NativeDriver.Libuv) : null;
        WakeLatencies? floor = driver is null ? null : Latencies(Contender.Floor);
        return
        [
            new Row($"{prefix}/wake/cross-thread/p50", "ns", Better.Lower, ours.P50, libuv is null ? [] : [libuv.P50])
            {
                Floor = floor?.P50,
                NoRatio = Rows.ReportOnly,
            },
            new Row($"{prefix}/wake/cross-thread/p99", "ns", Better.Lower, ours.P99, libuv is null ? [] : [libuv.P99])
            {
                Floor = floor?.P99,
                NoRatio = Rows.ReportOnly,
            },
        ];
    }

    public WakeLatencies Latencies(string contender) => new(
        contender == NativeDriver.Ours ? Contender.Native : contender, () => driver!.WakeLatencies(contender, Wakes));
}
