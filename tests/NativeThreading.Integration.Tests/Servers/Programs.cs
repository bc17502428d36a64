using System.Diagnostics;

namespace NativeThreading.Integration.Servers;

/// <summary>Finding and running programs of the system.</summary>
internal static class Programs
{
    /// <summary>Looks in these directories first, then in PATH.</summary>
    public static string? Find(string name, params IEnumerable<string> directories) => directories
        .Concat((Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries))
        .Concat(["/usr/sbin", "/sbin"])
        .Select(directory => Path.Combine(directory, name))
        .FirstOrDefault(File.Exists);

    /// <summary>Runs a program to its end, which must be a success.</summary>
    public static async Task RunAsync(params IReadOnlyList<string> command)
    {
        var start = new ProcessStartInfo(command[0], command.Skip(1)) { RedirectStandardOutput = true, RedirectStandardError = true };
        using Process process = Process.Start(start)!;
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        Task<string> error = process.StandardError.ReadToEndAsync();
        await Deadline.For(process.WaitForExitAsync(), command[0]);
        if (process.ExitCode != 0)
        {
            throw new InvalidOperationException($"{string.Join(' ', command)}: exit code {process.ExitCode}\n{await output}\n{await error}");
        }
    }
}
