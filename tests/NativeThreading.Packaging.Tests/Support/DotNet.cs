using System.Collections;
using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Support;

/// <summary>The SDK's command line, as if called from a shell and not from a test that the SDK runs.</summary>
internal static class DotNet
{
    /// <summary>Restoring on a fresh machine downloads runtimes and compilers.</summary>
    private static readonly TimeSpan s_deadline = TimeSpan.FromMinutes(5);

    public static Task<CommandLine.Result> RunAsync(string directory, IReadOnlyDictionary<string, string> environment, params string[] arguments) =>
        RunAsync(new ProcessStartInfo("dotnet", arguments) { WorkingDirectory = directory }, environment);

    /// <summary>The same for a program that calls it.</summary>
    public static Task<CommandLine.Result> RunAsync(ProcessStartInfo start, IReadOnlyDictionary<string, string> environment)
    {
        foreach (string name in Environment.GetEnvironmentVariables().Keys.Cast<string>().Where(BelongsToTheRunner).ToArray())
        {
            start.Environment.Remove(name);
        }

        start.Environment["MSBUILDDISABLENODEREUSE"] = "1";
        foreach ((string name, string value) in environment)
        {
            start.Environment[name] = value;
        }

        return CommandLine.RunAsync(start, s_deadline);
    }

    public static async Task<CommandLine.Result> SucceedAsync(
        string directory, IReadOnlyDictionary<string, string> environment, params string[] arguments)
    {
        CommandLine.Result result = await RunAsync(directory, environment, arguments);
        Assert.True(result.ExitCode == 0, $"dotnet {string.Join(' ', arguments)}\n{result}");
        return result;
    }

    private static bool BelongsToTheRunner(string name) =>
        name.StartsWith("MSBuild", StringComparison.OrdinalIgnoreCase)
        || name.StartsWith("VSTEST", StringComparison.OrdinalIgnoreCase)
        || name is "DOTNET_HOST_PATH" or "DOTNET_CLI_TELEMETRY_SESSIONID";
}
