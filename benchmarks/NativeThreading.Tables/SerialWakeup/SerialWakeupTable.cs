using System.CommandLine;
using System.Globalization;
using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Processes;
using NativeThreading.Workloads.SerialWakeup;

namespace NativeThreading.Tables.SerialWakeup;

/// <summary>The serial wake-up benchmark of swift-nio's thread pool (#3507).</summary>
internal sealed class SerialWakeupTable : Table
{
    private static readonly int[] s_threads = [4, 16];

    // A contender and a number of threads: the table runs itself under strace with it, untimed.
    private readonly Option<string?> _trace = new("--trace") { Hidden = true };
    private readonly Option<int> _trips = new("--trips") { Hidden = true };

    public override string Name => "serial-wakeup";

    public override string Description => "10,000 items submitted one by one, each waited for, with 4 and 16 threads: wall, CPU, switches, system calls.";

    public override IEnumerable<Option> Options => [_trace, _trips];

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        if (arguments.GetValue(_trace) is string traced)
        {
            Trace(traced, arguments.GetValue(_trips));
            return new TableResult(0, []);
        }

        using var peers = new SerialPeers();
        int[] sizes = [.. s_threads.Where(BuiltInPoolSize.CanBe)];

        // As in the reference, a pool is started once, before all its iterations.
        NativeSubmitter[] submitters = [.. sizes.Select(static threads => new NativeSubmitter(threads))];
        Row[] rows = [.. sizes.Zip(submitters, (threads, submitter) => Of(threads, submitter, peers))];
        TableResult measured = Interleaver.Measure(rows, Schedule.For(options, seconds: 45, quickSeconds: 6), progress);
        Array.ForEach(submitters, static submitter => submitter.Dispose());
        return measured with { Rows = [.. measured.Rows.SelectMany(row => Views(row, peers, options.Quick ? SerialRun.Trips / 5 : SerialRun.Trips, progress))] };
    }

    public override void Print(TableResult result)
    {
        if (result.Rows.Count != 0)
        {
            base.Print(result);
        }
    }

    private static Row Of(int threads, NativeSubmitter submitter, SerialPeers peers) =>
        new($"threads-{threads}", "ms", Better.Lower,
            new Contender(Contender.Native, () => SerialRun.Measure(Contender.Native, submitter)),
            [
                new Contender(Contender.ThreadPool, () =>
                {
                    using var builtIn = new BuiltInSubmitter(threads); // there is one pool for both sizes
                    return SerialRun.Measure(Contender.ThreadPool, builtIn);
                }),
                .. peers.Contenders(threads),
            ])
        {
            Note = "10,000 trips. Submitters wait on: ours LifoSemaphore, built-in SemaphoreSlim, libuv its loop, the condition-variable pools sem_t."
                + peers.Missing,
        };

    /// <summary>The time, and next to it its cost.</summary>
    private static IEnumerable<RowResult> Views(RowResult row, SerialPeers peers, int counted, Progress progress)
    {
        yield return row;
        if (row.ByCpuTime($"{row.Name}/cpu") is RowResult cpu)
        {
            yield return cpu;
        }

        if (row.Native.Switches is not null)
        {
            yield return row.By($"{row.Name}/switches", "switches", s => s.Switches ?? double.NaN);
        }

        if (SystemCalls.CanCount && CountCalls(row, peers, counted, progress) is RowResult calls)
        {
            yield return calls;
        }
    }

    private static RowResult? CountCalls(RowResult row, SerialPeers peers, int counted, Progress progress)
    {
        int threads = int.Parse(row.Name["threads-".Length..], CultureInfo.InvariantCulture);
        var counts = new Dictionary<string, double>();
        foreach (string name in (string[])[Contender.Native, .. row.Peers.Keys])
        {
            progress.Show($"system calls of {name}", 0, 1);
            double? calls = name is Contender.Native or Contender.ThreadPool
                ? SystemCalls.Count(counted, ThisProgram.Path, trips => Arguments($"{name}-{threads}", trips))
                : peers.CountSystemCalls(name, threads, counted);
            if (calls is null)
            {
                return null; // tracing is not allowed here
            }

            counts[name] = calls.Value;
        }

        Sample Calls(string name) => new(counts[name], null, null);
        return row with
        {
            Name = $"{row.Name}/system-calls",
            Unit = "calls",
            Native = Calls(Contender.Native),
            Peers = row.Peers.Keys.ToDictionary(name => name, Calls),
            Note = "system-calls per 10,000 trips: strace -f -c, in runs of their own that are not timed; under it every call takes longer, and more threads park.",
        };
    }

    private static string[] Arguments(string contender, int trips) =>
        ThisProgram.With("serial-wakeup", "--trace", contender, "--trips", trips.ToString(CultureInfo.InvariantCulture));

    private static void Trace(string contender, int trips)
    {
        int dash = contender.LastIndexOf('-');
        int threads = int.Parse(contender[(dash + 1)..], CultureInfo.InvariantCulture);
        using ISubmitter submitter = contender[..dash] == Contender.Native ? new NativeSubmitter(threads) : new BuiltInSubmitter(threads);
        SerialRun.Trace(contender, submitter, trips);
    }
}
