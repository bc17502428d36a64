using System.Diagnostics;

namespace NativeThreading.Tables.Isolation;

/// <summary>Runs a load generator to its end; the last line that it prints is its result.</summary>
internal static class LoadProcess
{
    private static readonly TimeSpan s_grace = TimeSpan.FromSeconds(40);

    public static async Task<HttpLoadResult> RunAsync(string program, string[] arguments, TimeSpan window)
    {
        using Process process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true })!;
        using var deadline = new CancellationTokenSource(window + s_grace);
        try
        {
            string output = await process.StandardOutput.ReadToEndAsync(deadline.Token).ConfigureAwait(false);
            await process.WaitForExitAsync(deadline.Token).ConfigureAwait(false);
            string? last = output.Split('\n', StringSplitOptions.RemoveEmptyEntries).LastOrDefault();
            return process.ExitCode == 0 && last is not null
                ? HttpLoadResult.Parse(last)
                : throw new MeasurementException($"{program}: exit code {process.ExitCode}, output '{output}'.");
        }
        catch (OperationCanceledException)
        {
            process.Kill();
            throw new MeasurementException($"{program} did not end within {(window + s_grace).TotalSeconds} s.");
        }
    }
}
