using System.Globalization;
using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Isolation;
using NativeThreading.Workloads.Http;

namespace NativeThreading.Tables.Kestrel.Clients;

/// <summary>HTTP/2 by nghttp2's h2load: several streams on each of a few connections. Its log has a line for each request.</summary>
internal sealed class H2Load : IHttpLoad
{
    private const int Streams = 4;

    public static bool IsInstalled => PeerPrograms.IsInstalled("h2load");

    public string Name => $"load by h2load, {Streams} streams a connection";

    /// <exception cref="MeasurementException">h2load failed, or did not end.</exception>
    public async Task<HttpLoadResult> RunAsync(LoadOrder order)
    {
        string log = Path.GetTempFileName();
        try
        {
            await LoadProcess.OutputAsync(
                order,
                "h2load",
                [
                    "-c", Text(order.Connections / Streams), "-m", Text(Streams), "-t", "1", "-D", Text((int)order.Window.TotalSeconds),
                    "--log-file", log, order.Target.AbsoluteUri,
                ]).ConfigureAwait(false);
            return H2LoadLog.Parse(File.ReadLines(log), order.Window);
        }
        finally
        {
            File.Delete(log);
        }
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
