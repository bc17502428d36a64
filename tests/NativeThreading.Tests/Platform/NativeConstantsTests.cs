using System.Net.Sockets;
using NativeThreading.EventLoops.Turns;
using NativeThreading.Platform;
using NativeThreading.Scheduling;
using NativeThreading.Tests.Support;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Platform;

/// <summary>T90: what managed code believes about the native core, and the managed core does as that one, against the header and against the binary.</summary>
public sealed class NativeConstantsTests
{
    public static TheoryData<string, long> ManagedConstants() => new()
    {
        { "NTH_ABI_VERSION", NativeMethods.AbiVersion },
        { "NTH_LINGER_IDLE_WORKER", (long)LingerKind.IdleWorker },
        { "NTH_LINGER_COMPLETION", (long)LingerKind.Completion },
        { "NTH_LINGER_READINESS", (long)LingerKind.Readiness },
        { "NTH_LINGER_WAITER", (long)LingerKind.Waiter },
        { "NTH_SIGNAL_REQUESTED", (long)SignalWord.Requested },
        { "NTH_SIGNAL_LINGERING", (long)SignalWord.Lingering },
        { "NTH_SIGNAL_SENTINEL", (long)SignalWord.Sentinel },
        { "NTH_SIGNAL_GROWABLE", (long)SignalWord.Growable },
        { "NTH_SIGNAL_LOCKED", (long)SignalWord.Locked },
        { "NTH_SIGNAL_WAKE_OWED", (long)SignalWord.WakeOwed },
        { "NTH_SIGNAL_UNMONITORED", (long)SignalWord.Unmonitored },
        { "NTH_SIGNAL_IDLE_SHIFT", SignalWord.IdleShift },
        { "NTH_SIGNAL_STAMP_SHIFT", SignalWord.StampShift },
        { "NTH_REQUEST_NOT_NEEDED", (long)RequestOutcome.NotNeeded },
        { "NTH_REQUEST_WOKE", (long)RequestOutcome.Woke },
        { "NTH_REQUEST_START_THREAD", (long)RequestOutcome.StartThread },
        { "NTH_ANNOUNCE_SENTINEL", 1 },
        { "NTH_THREAD_RUNNABLE", RunState.Runnable },
        { "NTH_THREAD_WAITING", RunState.Waiting },
        { "NTH_THREAD_STOPPED", RunState.Stopped },
        { "NTH_PARK_TIMED_OUT", 0 },
        { "NTH_PARK_CHOSEN", 1 },
        { "NTH_EVENT_NONE", (long)NativeEventKind.None },
        { "NTH_EVENT_WAKE", (long)NativeEventKind.Wake },
        { "NTH_EVENT_TIMER", (long)NativeEventKind.Timer },
        { "NTH_EVENT_READY", (long)NativeEventKind.Ready },
        { "NTH_READY_EDGE", (long)EventLoopInterest.EdgeTriggered },
        { "NTH_READY_READ", (long)EventLoopReadiness.Read },
        { "NTH_READY_WRITE", (long)EventLoopReadiness.Write },
        { "NTH_READY_PEER_CLOSED", (long)EventLoopReadiness.PeerClosed },
        { "NTH_READY_HANGUP", (long)EventLoopReadiness.Hangup },
        { "NTH_READY_ERROR", (long)EventLoopReadiness.Error },
        { "NTH_READY_URGENT", (long)EventLoopReadiness.Urgent },
        { "NTH_WAKE_KERNEL", CoreLoop.WakeThroughKernel },
        { "NTH_POLL_LOOK", CoreLoop.Look },
        { "NTH_POLL_LINGER", CoreLoop.Linger },
        { "NTH_POLL_MIN_EVENTS", ManagedEventLoop.FewestEvents },
        { "NTH_SHUTDOWN_WRITE", (long)SocketShutdown.Send },
    };

    [Theory]
    [MemberData(nameof(ManagedConstants))]
    public void T90_ManagedConstantIsTheHeaders(string name, long managed) => Assert.Equal(NativeHeader.Constants[name], managed);

    [Fact]
    public void T90_NoConstantOfTheHeaderIsForgotten() =>
        Assert.Equal(
            NativeHeader.Constants.Keys.Order(StringComparer.Ordinal),
            ManagedConstants().Select(row => row.Data.Item1).Order(StringComparer.Ordinal));

    [Fact]
    public void T90_FlagsHaveNoOtherValues()
    {
        // The header has one name for both of each.
        Assert.Equal((int)EventLoopReadiness.Read, (int)EventLoopInterest.Read);
        Assert.Equal((int)EventLoopReadiness.Write, (int)EventLoopInterest.Write);
        Assert.Equal([0, 1, 2, 32], Enum.GetValues<EventLoopInterest>().Select(interest => (int)interest));
        Assert.Equal([0, 1, 2, 4, 8, 16, 64], Enum.GetValues<EventLoopReadiness>().Select(readiness => (int)readiness));
    }

    [Fact]
    public void T90_ABatchIsLargeEnoughForAPoll() =>
        Assert.True(LoopTuning.EventsPerPoll >= NativeHeader.Constants["NTH_POLL_MIN_EVENTS"]);

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
        Assert.Equal(0, WorkerSignal.IdleCount(~SignalWord.IdleMask));
    }

    [Fact]
    public void T93_BinaryHasTheHeadersVersion()
    {
        Assert.Null(NativeCore.Unusable());
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
