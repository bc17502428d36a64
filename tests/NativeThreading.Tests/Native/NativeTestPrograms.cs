using System.Reflection;
using System.Text.Json;

namespace NativeThreading.Tests.Native;

/// <summary>The C test programs of the preset that belongs to this build configuration, built once per run.</summary>
public sealed class NativeTestPrograms
{
    private static readonly TimeSpan BuildDeadline = TimeSpan.FromMinutes(5);
    private static readonly TimeSpan ListDeadline = TimeSpan.FromMinutes(1);

    public NativeTestPrograms() => Built = BuildAsync();

    /// <summary>Completes when the programs are there; fails with the compiler's output.</summary>
    public Task Built { get; }

    internal static string BuildDirectory { get; } = Metadata("NativeBuildDirectory");

    /// <summary>The names ctest knows. The build of the core library has configured the directory already.</summary>
    internal static IEnumerable<string> List()
    {
        var result = CommandLine.RunAsync("ctest", ["--show-only=json-v1"], BuildDirectory, ListDeadline).GetAwaiter().GetResult();
        if (result.ExitCode != 0)
        {
            throw new InvalidOperationException(result.Output);
        }

        using var list = JsonDocument.Parse(result.Output);
        return [.. list.RootElement.GetProperty("tests").EnumerateArray().Select(test => test.GetProperty("name").GetString()!)];
    }

    private static async Task BuildAsync()
    {
        var result = await CommandLine.RunAsync("cmake", ["--build", "."], BuildDirectory, BuildDeadline);
        Assert.True(result.ExitCode == 0, result.Output);
    }

    private static string Metadata(string key) =>
        typeof(NativeTestPrograms).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Single(a => a.Key == key).Value!;
}
