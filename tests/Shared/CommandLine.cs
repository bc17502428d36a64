using System.Diagnostics;

namespace NativeThreading.Tests.Support;

/// <summary>Runs a program to its end or its deadline, whichever comes first.</summary>
internal static class CommandLine
{
    internal readonly record struct Result(int ExitCode, string Output, string Error)
    {
        public override string ToString() => $"exit code {ExitCode}\n{Output}\n{Error}";
    }

    internal static Task<Result> RunAsync(string program, string[] arguments, string directory, TimeSpan deadline) =>
        RunAsync(new ProcessStartInfo(program, arguments) { WorkingDirectory = directory }, deadline);

    internal static async Task<Result> RunAsync(ProcessStartInfo start, TimeSpan deadline)
    {
        start.RedirectStandardOutput = true;
        start.RedirectStandardError = true;
        using Process process = Process.Start(start)!;
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        Task<string> error = process.StandardError.ReadToEndAsync();

        using var timeout = new CancellationTokenSource(deadline);
        try
        {
            await process.WaitForExitAsync(timeout.Token);
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            throw new TimeoutException($"{start.FileName} ran longer than {deadline}.\n{await output}\n{await error}");
        }

        return new Result(process.ExitCode, await output, await error);
    }
}
