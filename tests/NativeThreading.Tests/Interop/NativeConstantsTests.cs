using NativeThreading.Interop;
using NativeThreading.Tests.Native;
using NativeThreading.Workers;

namespace NativeThreading.Tests.Interop;

/// <summary>T90: what managed code believes about the native core, against the header and against the binary.</summary>
public sealed class NativeConstantsTests
{
    public static TheoryData<string, long> ManagedConstants() => new()
    {
        { "NTH_ABI_VERSION", NativeMethods.AbiVersion },
        { "NTH_LINGER_IDLE_WORKER", (long)LingerKind.IdleWorker },
        { "NTH_LINGER_COMPLETION", (long)LingerKind.Completion },
        { "NTH_SIGNAL_REQUESTED", (long)WorkerSignal.Requested },
        { "NTH_SIGNAL_LINGERING", (long)WorkerSignal.Lingering },
        { "NTH_SIGNAL_WATCHING", (long)WorkerSignal.Watching },
        { "NTH_SIGNAL_GROWABLE", (long)WorkerSignal.Growable },
        { "NTH_SIGNAL_IDLE_SHIFT", WorkerSignal.IdleShift },
        { "NTH_REQUEST_NOT_NEEDED", (long)RequestOutcome.NotNeeded },
        { "NTH_REQUEST_WOKE", (long)RequestOutcome.Woke },
        { "NTH_REQUEST_START_THREAD", (long)RequestOutcome.StartThread },
        { "NTH_ANNOUNCE_WATCHING", 1 },
        { "NTH_PARK_TIMED_OUT", 0 },
        { "NTH_PARK_CHOSEN", 1 },
    };

    [Theory]
    [MemberData(nameof(ManagedConstants))]
    public void T90_ManagedConstantIsTheHeaders(string name, long managed) => Assert.Equal(NativeHeader.Constants[name], managed);

    [Fact]
    public void T90_StampIsReadFromWhereTheHeaderPutsIt()
    {
        int shift = (int)NativeHeader.Constants["NTH_SIGNAL_STAMP_SHIFT"];
        Assert.Equal(0xDEADBEEF, WorkerSignal.Stamp((0xDEADBEEFUL << shift) | uint.MaxValue >> 1));
    }

    [Fact]
    public void T20_IdleCountHasRoomForEveryThread()
    {
        int shift = (int)NativeHeader.Constants["NTH_SIGNAL_IDLE_SHIFT"];
        int bits = (int)NativeHeader.Constants["NTH_SIGNAL_STAMP_SHIFT"] - shift;
        Assert.True(1L << bits > NativeThreadPoolOptions.ThreadLimit);
        Assert.Equal(NativeThreadPoolOptions.ThreadLimit, WorkerSignal.IdleCount((ulong)NativeThreadPoolOptions.ThreadLimit << shift));
        Assert.Equal(0, WorkerSignal.IdleCount(~WorkerSignal.IdleMask));
    }

    [Fact]
    public void T93_BinaryHasTheHeadersVersion()
    {
        NativeCore.EnsureLoaded();
        Assert.Equal(NativeHeader.Constants["NTH_ABI_VERSION"], NativeMethods.nth_abi_version());
    }

    [Fact]
    public async Task T90_BinaryExportsTheHeaderAndNothingElse()
    {
        string library = Path.Combine(AppContext.BaseDirectory, "libnativethreading.so");
        var result = await CommandLine.RunAsync("nm", ["-D", "--defined-only", library], AppContext.BaseDirectory, TimeSpan.FromSeconds(30));
        Assert.True(result.ExitCode == 0, result.Output);

        IEnumerable<string> exported = result.Output
            .Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)
            .Select(line => line.Split(' '))
            .Where(fields => fields.Length == 3)
            .Select(fields => fields[2].Split('@')[0]);
        Assert.Equal(NativeHeader.Functions.Keys.Order(StringComparer.Ordinal), exported.Order(StringComparer.Ordinal));
    }
}
