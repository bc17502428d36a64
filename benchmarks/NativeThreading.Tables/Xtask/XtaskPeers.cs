using System.Globalization;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Xtask;

/// <summary>libuv's side of the rows: one process per pool size, because the size belongs to the process.</summary>
internal sealed class XtaskPeers : IDisposable
{
    public const string Libuv = "libuv";
    public const string Tasks = "task";

    private readonly string? _program = PeerPrograms.Built.Find("xtask_libuv");
    private readonly Dictionary<int, PeerProcess> _processes = [];

    public string? Missing => _program is null ? PeerPrograms.Built.Missing ?? "The libuv peer was not built." : null;

    /// <summary>None where the peer is not there.</summary>
    public IEnumerable<Contender> LibuvContender(string row, int workers, int iterations, int items)
    {
        if (_program is null)
        {
            return [];
        }

        if (!_processes.TryGetValue(workers, out PeerProcess? process))
        {
            process = new PeerProcess(_program, argument: null,
                new KeyValuePair<string, string>("UV_THREADPOOL_SIZE", workers.ToString(CultureInfo.InvariantCulture)));
            _processes.Add(workers, process);
        }

        return [new Contender(Libuv, () => process.Measure(row, iterations, items).InMicroseconds()) { IsOtherProgram = true }];
    }

    public void Dispose()
    {
        foreach (PeerProcess process in _processes.Values)
        {
            process.Dispose();
        }
    }
}
