using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Isolation;
using NativeThreading.Tables.Kestrel;
using NativeThreading.Tables.Processes;
using NativeThreading.Workloads.Http;

namespace NativeThreading.Tables.Crowded;

/// <summary>A web server with this library's transport, and one with Kestrel's sockets; servers and load share the scene's processors.</summary>
internal sealed class CrowdedWeb : IDisposable
{
    private const int Attempts = 3;
    private const int FirstAttempts = 10; // half a processor has to compile a whole server first
    private const int Connections = 32;

    private static readonly TimeSpan s_window = TimeSpan.FromSeconds(1);

    private readonly IHttpLoad _load = WrkLoad.IsInstalled ? new WrkLoad() : new BuiltInLoad();
    private readonly ServerProcess _native = new("KestrelServer", "native");
    private readonly ServerProcess _default;

    public CrowdedWeb()
    {
        try
        {
            _default = new ServerProcess("KestrelServer", "default");
        }
        catch
        {
            _native.Dispose();
            throw;
        }
    }

    public IEnumerable<RowResult> Measure(int turns, bool oursAlone, Progress progress)
    {
        var ours = new List<Window>();
        var peer = new List<Window>();
        for (int turn = -1; turn < turns; turn++) // the first one lets the servers compile what they run
        {
            progress.Show("web", turn + 1, turns + 1);
            foreach (bool isNative in turn % 2 == 0 ? (bool[])[true, false] : [false, true])
            {
                if (isNative || !oursAlone)
                {
                    Window window = Run(isNative ? _native : _default, turn < 0 ? FirstAttempts : Attempts);
                    (turn < 0 ? [] : isNative ? ours : peer).Add(window);
                }
            }
        }

        RowResult Of(string name, string unit, Better better, Func<Window, double> value) => new(
            name, unit, better, Mean(ours, value), oursAlone ? null : Mean(peer, value), $"{_load.Name}, {Connections} connections, windows of a second; means");
        yield return Of("web/json/rps", "answers/s", Better.Higher, static window => window.Rate);
        yield return Of("web/json/p99", "ms", Better.Lower, static window => window.P99);
        yield return Of("web/json/cpu", "us CPU", Better.Lower, static window => window.CpuMicroseconds);
    }

    public void Dispose()
    {
        _native.Dispose();
        _default.Dispose();
    }

    private static Sample Mean(List<Window> windows, Func<Window, double> value) =>
        new(windows.Average(value), windows.Average(static window => window.CpuMicroseconds * 1000), windows.Average(static window => window.Switches));

    private Window Run(ServerProcess server, int attempts)
    {
        // The busy processes may leave the load no processor for the whole window.
        for (int attempt = 0; attempt < attempts; attempt++)
        {
            ServerUsage before = ServerUsage.Of(server);
            HttpLoadResult result = _load.RunAsync(new Uri(server.Addresses[0], "json"), Connections, s_window).GetAwaiter().GetResult();
            ServerUsage usage = ServerUsage.Of(server).Since(before);
            if (result.Answers > 0)
            {
                return new Window(
                    result.Answers / result.Seconds, result.P99Milliseconds, usage.CpuMicroseconds / result.Answers, usage.Switches / result.Answers);
            }
        }

        throw new MeasurementException($"web/json: a server answered nothing in {attempts} windows.");
    }

    private readonly record struct Window(double Rate, double P99, double CpuMicroseconds, double Switches);
}
