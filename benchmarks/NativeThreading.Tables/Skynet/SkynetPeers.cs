using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.Skynet;

namespace NativeThreading.Tables.Skynet;

/// <summary>The native programs that grow the same tree, as far as they were built.</summary>
internal sealed class SkynetPeers : IDisposable
{
    public static readonly string[] WithoutTbb = ["boost-tcmalloc", "boost-glibc", "go"];
    public static readonly string[] All = ["tbb", .. WithoutTbb];

    private readonly Dictionary<string, PeerProcess> _processes = [];
    private readonly Dictionary<(string Name, long Leaves), SharedRuns> _runs = [];

    public SkynetPeers()
    {
        foreach (string name in All)
        {
            if (PeerPrograms.Built.Find("skynet_" + name.Replace('-', '_')) is string path)
            {
                // Boost's work-stealing scheduler counts its threads for the life of the process.
                _processes.Add(name, new PeerProcess(path) { OneRequestPerProcess = name.StartsWith("boost", StringComparison.Ordinal) });
            }
        }
    }

    /// <summary>The peers that are missing, with the reason, and how often each one crashed; empty without either.</summary>
    public string Note
    {
        get
        {
            string[] missing = [.. All.Where(n => !_processes.ContainsKey(n))];
            return string.Concat(_processes.Where(p => p.Value.Crashes != 0)
                .Select(p => $" {p.Key} crashed {p.Value.Crashes} times and was started again.")
                .Concat(missing.Length == 0 ? [] : [$" Not built: {string.Join(", ", missing)}; benchmarks/peers/install-debian.sh installs what they need."]));
        }
    }

    public IReadOnlyList<Contender> Contenders(string form, string[] names, long leaves, int trees) =>
    [
        .. names.Where(_processes.ContainsKey).Select(name =>
        {
            if (!_runs.TryGetValue((name, leaves), out SharedRuns? runs))
            {
                runs = new SharedRuns(() => _processes[name].Measure($"skynet/{leaves}", trees, SkynetTree.Nodes(leaves)).InMilliseconds());
                _runs.Add((name, leaves), runs);
            }

            return new Contender(name, () => runs.For(form)) { IsOtherProgram = true };
        }),
    ];

    public void Dispose()
    {
        foreach (PeerProcess process in _processes.Values)
        {
            process.Dispose();
        }
    }
}
