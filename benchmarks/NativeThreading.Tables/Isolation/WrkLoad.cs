using System.Globalization;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Isolation;

/// <summary>wrk, with a script that prints its result as one line.</summary>
internal sealed class WrkLoad : IHttpLoad, IDisposable
{
    // Long enough for an answer that comes when a starved pool has grown.
    private const string Timeout = "30s";

    private const string Script =
        """
        done = function(summary, latency, requests)
          local e = summary.errors
          io.write(string.format('{"answers":%d,"us":%d,"p50":%d,"p99":%d,"errors":%d}\n', summary.requests, summary.duration,
            latency:percentile(50), latency:percentile(99), e.connect + e.read + e.write + e.status + e.timeout))
        end
        """;

    private static readonly string[] s_closing = ["-H", "Connection: close"];

    private readonly string _script = Path.GetTempFileName();

    public WrkLoad() => File.WriteAllText(_script, Script);

    public static bool IsInstalled => PeerPrograms.IsInstalled("wrk");

    public string Name => "load by wrk";

    public Task<HttpLoadResult> RunAsync(Uri target, int connections, TimeSpan window, bool closes = false) => LoadProcess.RunAsync(
        "wrk",
        [
            "-t1", "-c", connections.ToString(CultureInfo.InvariantCulture), "-d", string.Create(CultureInfo.InvariantCulture, $"{window.TotalSeconds:0}s"),
            "--timeout", Timeout, "-s", _script, .. closes ? s_closing : [], target.AbsoluteUri,
        ],
        window);

    public void Dispose() => File.Delete(_script);
}
