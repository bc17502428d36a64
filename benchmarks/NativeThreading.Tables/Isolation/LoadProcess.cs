using System.Diagnostics;

namespace NativeThreading.Tables.Isolation;

/// <summary>Runs a load generator to its end; the last line that it prints is its result.</summary>
internal static class LoadProcess
{
    private static readonly TimeSpan s_grace = TimeSpan.FromSeconds(40);

    public static async Task<HttpLoadResult> RunAsync(string program, string[] arguments, TimeSpan window)
    {
        string output = await OutputAsync(program, arguments, window).ConfigureAwait(false);
        return HttpLoadResult.Parse(output.Split('\n', StringSplitOptions.RemoveEmptyEntries).LastOrDefault()
            ?? throw new MeasurementException($"{program} has printed nothing."));
    }

    /// <summary>All that it prints.</summary>
    /// <exception cref="MeasurementException">It failed, or did not end in time.</exception>
    public static async Task<string> OutputAsync(string program, string[] arguments, TimeSpan window)
    {
        using Process process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true })!;
        using var deadline = new CancellationTokenSource(window + s_grace);
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
            process.Kill();
            throw new MeasurementException($"{program} did not end within {(window + s_grace).TotalSeconds} s.");
        }
    }
}
