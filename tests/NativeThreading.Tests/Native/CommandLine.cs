using System.Diagnostics;
using System.Text;

namespace NativeThreading.Tests.Native;

/// <summary>Runs a program to its end or its deadline, whichever comes first.</summary>
internal static class CommandLine
{
    internal readonly record struct Result(int ExitCode, string Output);

    internal static async Task<Result> RunAsync(string program, string[] arguments, string directory, TimeSpan deadline)
    {
        using var process = new Process
        {
            StartInfo = new ProcessStartInfo(program, arguments)
            {
                WorkingDirectory = directory,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            },
        };

        var output = new StringBuilder();
        void Append(object sender, DataReceivedEventArgs line)
        {
            lock (output)
            {
                output.AppendLine(line.Data);
            }
        }

        process.OutputDataReceived += Append;
        process.ErrorDataReceived += Append;
        process.Start();
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();

        using var timeout = new CancellationTokenSource(deadline);
        try
        {
            await process.WaitForExitAsync(timeout.Token);
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            throw new TimeoutException($"{program} {string.Join(' ', arguments)} ran longer than {deadline}.\n{output}");
        }

        return new Result(process.ExitCode, output.ToString());
    }
}
