using System.Globalization;
using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.SerialWakeup;

namespace NativeThreading.Tables.SerialWakeup;

/// <summary>libuv's pool and two of textbook make, each in a process per number of threads.</summary>
internal sealed class SerialPeers : IDisposable
{
    private const string Libuv = "libuv";
    private const string LibuvRow = "submit-wait/1";
    private const string CondvarRow = "trips";

    private static readonly string[] s_policies = ["signal-one", "broadcast"];

    private readonly string? _libuv = PeerPrograms.Built.Find("xtask_libuv");
    private readonly string? _condvar = PeerPrograms.Built.Find("serial_wakeup");
    private readonly List<PeerProcess> _processes = [];

    public string Missing => (_libuv, _condvar) switch
    {
        (_, null) => " The native peers were not built: benchmarks/peers/install-debian.sh installs what they need.",
        (null, _) => " The libuv peer was not built: benchmarks/peers/install-debian.sh installs what it needs.",
        _ => "",
    };

    public IEnumerable<Contender> Contenders(int threads)
    {
        if (_libuv is not null)
        {
            yield return Of(Libuv, LibuvRow, new PeerProcess(_libuv, argument: null, PoolSize(threads)));
        }

        if (_condvar is not null)
        {
            foreach (string policy in s_policies)
            {
                yield return Of(policy, CondvarRow, new PeerProcess(_condvar, $"{policy}-{threads}"));
            }
        }
    }

    public double? CountSystemCalls(string name, int threads, int trips) => name == Libuv
        ? SystemCalls.Count(trips, _libuv!, number => [LibuvRow, Number(number)], PoolSize(threads))
        : SystemCalls.Count(trips, _condvar!, number => [$"{name}-{threads}", CondvarRow, Number(number)]);

    public void Dispose() => _processes.ForEach(static process => process.Dispose());

    private Contender Of(string name, string row, PeerProcess process)
    {
        _processes.Add(process);
        return new Contender(name, () => process.Measure(row, SerialRun.Trips, itemsPerIteration: 1).Times(SerialRun.Trips).InMilliseconds()) { IsOtherProgram = true };
    }

    private static KeyValuePair<string, string> PoolSize(int threads) => new("UV_THREADPOOL_SIZE", Number(threads));

    private static string Number(int number) => number.ToString(CultureInfo.InvariantCulture);
}
