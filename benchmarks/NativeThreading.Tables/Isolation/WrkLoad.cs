using System.Globalization;
using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.Http;

namespace NativeThreading.Tables.Isolation;

/// <summary>wrk, with a script that prints its result as one line.</summary>
internal sealed class WrkLoad : IHttpLoad
{
    // Long enough for an answer that comes when a starved pool has grown.
    private const string Timeout = "30s";

    private static readonly string[] s_closing = ["-H", "Connection: close"];

    public static bool IsInstalled => PeerPrograms.IsInstalled("wrk");

    public string Name => "load by wrk";

    public Task<HttpLoadResult> RunAsync(LoadOrder order)
    {
        bool pipelines = order.Pipelined > 1;
        string[] arguments = pipelines ? ["--", Text(order.Pipelined)] : [];
        return LoadProcess.RunAsync(
            order,
            "wrk",
            [
                "-t1", "-c", Text(order.Connections), "-d", string.Create(CultureInfo.InvariantCulture, $"{order.Window.TotalSeconds:0}s"),
                "--timeout", Timeout, "-s", pipelines ? WrkScripts.Pipeline : order.Posts ? WrkScripts.Post : WrkScripts.Report,
                .. order.Closes ? s_closing : [], order.Target.AbsoluteUri, .. arguments,
            ]);
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
