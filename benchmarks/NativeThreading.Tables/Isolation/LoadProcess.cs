using System.Diagnostics;
using System.Globalization;
using NativeThreading.Tables.Processes;
using NativeThreading.Workloads.Http;

namespace NativeThreading.Tables.Isolation;

/// <summary>Runs a load generator to its end; the last line that it prints is its result.</summary>
internal static class LoadProcess
{
    private static readonly TimeSpan s_grace = TimeSpan.FromSeconds(40);

    public static async Task<HttpLoadResult> RunAsync(LoadOrder order, string program, string[] arguments)
    {
        string output = await OutputAsync(order, program, arguments).ConfigureAwait(false);
        return HttpLoadResult.Parse(output.Split('\n', StringSplitOptions.RemoveEmptyEntries).LastOrDefault()
            ?? throw new MeasurementException($"{program} has printed nothing."));
    }

    /// <summary>Another process of this program makes the load: <paramref name="command"/> is its first argument.</summary>
    public static Task<HttpLoadResult> RunHereAsync(LoadOrder order, string command, params string[] how) => RunAsync(
        order,
        ThisProgram.Path,
        ThisProgram.With([command, order.Target.AbsoluteUri, order.Connections.ToString(CultureInfo.InvariantCulture), RunOnce.Seconds(order.Window), .. how]));

    /// <summary>All that it prints.</summary>
    /// <exception cref="MeasurementException">It failed, or did not end in time.</exception>
    public static async Task<string> OutputAsync(LoadOrder order, string program, string[] arguments)
    {
        string[] command = [.. order.Under, program, .. arguments];
        TimeSpan limit = order.Window + s_grace;
        using Process process = Process.Start(new ProcessStartInfo(command[0], command[1..]) { RedirectStandardOutput = true })!;
        using var deadline = new CancellationTokenSource(limit);
        try
        {
            string output = await process.StandardOutput.ReadToEndAsync(deadline.Token).ConfigureAwait(false);
            await process.WaitForExitAsync(deadline.Token).ConfigureAwait(false);
            return process.ExitCode == 0
                ? output
                : throw new MeasurementException($"{program}: exit code {process.ExitCode}, output '{output}'.");
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            throw new MeasurementException($"{program} did not end within {limit.TotalSeconds} s.");
        }
    }
}
