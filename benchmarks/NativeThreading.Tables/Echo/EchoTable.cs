using System.CommandLine;
using System.Globalization;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Echo;

/// <summary>An echo server on the event loop, compared with the same in C on epoll, in C on libuv, and on the runtime's sockets. Each server is a process,
/// the load generator another one.</summary>
internal sealed class EchoTable : Table
{
    private static readonly int[] s_connections = [32, 512];

    private readonly Option<bool> _unpinned = new("--unpinned")
    {
        Description = "Let the scheduler place server and load, instead of one CPU for each.",
    };

    public override string Name => "echo";

    public override string Description => "A loopback echo server on EventLoop, bare epoll, libuv and .NET sockets; --full: with inline completions, too.";

    public override int RequiredProcessors => 2;

    public override IEnumerable<Option> Options => [_unpinned];

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        PeerPrograms peers = PeerPrograms.Built;
        string program = peers.Find("echo_load") ?? throw new MeasurementException(peers.Missing ?? "echo_load was not built.");
        CpuPair? cpus = arguments.GetValue(_unpinned) || !PeerPrograms.IsInstalled("taskset") ? null : CpuPair.Find();
        var load = new EchoLoad(program, cpus?.Load, options.Quick);

        using var contenders = new EchoContenders(peers, cpus?.Server, options.Full);
        EchoRow[] rows = [.. s_connections.Select(c => new EchoRow(c, load, contenders.Servers))];
        TableResult timed = Interleaver.Measure(
            [.. rows.Select(r => r.ToMeasure())], Schedule.For(options, seconds: 45, quickSeconds: 4), progress);

        progress.Show("system calls", 0, 1);
        string? notCounted = null;
        RowResult?[] calls = [.. rows.Select(r => r.CountSystemCalls(out notCounted))];
        string setting = EchoNotes.Setting(cpus, load, peers, notCounted);
        List<RowResult> results =
        [
            .. rows.Zip(timed.Rows, (row, result) => result with { Note = $"{EchoNotes.Messages(result, row, timed.Runs)}; {setting}" }),
            .. rows.Zip(timed.Rows, (row, result) => result.ByCpuTime(row.Name("cpu"))! with { Note = EchoNotes.Cpu }),
            .. calls.OfType<RowResult>().Select(r => r with { Note = EchoNotes.SystemCalls(r, load.CountedMessages) }),
            Allocated(contenders.Servers),
        ];
        progress.Clear();
        return timed with { Rows = results };
    }

    /// <summary>Ends the servers. Each says how much it echoed, which is compared with what returned.</summary>
    private static RowResult Allocated(IReadOnlyList<EchoServerProcess> servers)
    {
        ServerReport ours = servers[0].Stop();
        foreach (EchoServerProcess peer in servers.Skip(1))
        {
            peer.Stop();
        }

        // The smallest object has 24 bytes: below half a byte a message there is none in 48 messages.
        double perMessage = Math.Round((double)ours.Allocated!.Value / ours.Messages);
        string note = string.Create(CultureInfo.InvariantCulture,
            $"{ours.Allocated} managed bytes on the loop's thread over {ours.Messages} messages, connecting and closing excepted");
        return new RowResult(
            $"echo/{s_connections[0]}/allocated", "B/message", Better.Lower, new Sample(perMessage, null, null), builtIn: null, note);
    }
}
