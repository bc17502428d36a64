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

    internal static string BuildDirectory { get; } = typeof(NativeTestPrograms).Assembly
        .GetCustomAttributes<AssemblyMetadataAttribute>().Single(a => a.Key == "NativeBuildDirectory").Value!;

    /// <summary>The names ctest knows. The build of the core library has configured the directory already.</summary>
    internal static IEnumerable<string> List()
    {
        CommandLine.Result result = RunAsync(ListDeadline, "ctest", "--show-only=json-v1").GetAwaiter().GetResult();
        if (result.ExitCode != 0)
        {
            throw new InvalidOperationException(result.ToString());
        }

        using JsonDocument list = JsonDocument.Parse(result.Output);
        return [.. list.RootElement.GetProperty("tests").EnumerateArray().Select(test => test.GetProperty("name").GetString()!)];
    }

    internal static Task<CommandLine.Result> RunAsync(TimeSpan deadline, string program, params string[] arguments) =>
        CommandLine.RunAsync(program, arguments, BuildDirectory, deadline);

    /// <summary>Under the same lock as native.proj: two test runs may meet here.</summary>
    private static async Task BuildAsync()
    {
        CommandLine.Result result = await RunAsync(
            BuildDeadline, "sh", "-c", "exec 9>../.lock; flock 9 2>/dev/null; exec cmake --build . --parallel");
        Assert.True(result.ExitCode == 0, result.ToString());
    }
}
