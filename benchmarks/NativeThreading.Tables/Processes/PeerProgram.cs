using System.Diagnostics;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Processes;

/// <summary>A peer written in C: benchmarks/peers, built on demand.</summary>
internal static class PeerProgram
{
    /// <summary>Builds a program and returns its path; throws where that cannot be done.</summary>
    public static string Build(string target)
    {
        string root = AppContext.BaseDirectory;
        while (!File.Exists(Path.Combine(root, "ThreadPool.sln")))
        {
            root = Path.GetDirectoryName(root) ?? throw new MeasurementException("the repository, and with it benchmarks/peers, was not found.");
        }

        string build = Path.Combine(root, "artifacts", "peers");
        Run("cmake", ["-S", Path.Combine(root, "benchmarks", "peers"), "-B", build]);
        Run("cmake", ["--build", build, "--target", target]);
        return Path.Combine(build, target);
    }

    private static void Run(string program, string[] arguments)
    {
        using Process process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true })!;
        Task<string> error = process.StandardError.ReadToEndAsync();
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        if (process.ExitCode != 0)
        {
            throw new MeasurementException($"{program} {string.Join(' ', arguments)} failed:\n{output}{error.Result}");
        }
    }
}
