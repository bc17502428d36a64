using System.Reflection;
using System.Text.Json;
using System.Xml.Linq;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Native;

/// <summary>
/// The C test programs of the preset that belongs to this build configuration: built and run once, two at a time, for
/// most of them wait or have one thread. ctest runs what measures by itself (native/tests/CMakeLists.txt).
/// </summary>
public sealed class NativeTestPrograms
{
    private static readonly TimeSpan BuildDeadline = TimeSpan.FromMinutes(5);
    private static readonly TimeSpan RunDeadline = TimeSpan.FromMinutes(Soak.Rounds(2));
    private static readonly TimeSpan ListDeadline = TimeSpan.FromMinutes(1);

    private readonly Lazy<Task<Dictionary<string, Outcome>>> _outcomes;

    public NativeTestPrograms()
    {
        Built = BuildAsync();
        _outcomes = new(RunAsync);
    }

    /// <summary>Completes when the programs are there; fails with the compiler's output.</summary>
    public Task Built { get; }

    /// <param name="HasPassed">It has run, and ended with 0.</param>
    /// <param name="Output">What it said, and what ctest says of it.</param>
    internal readonly record struct Outcome(bool HasPassed, string Output);

    internal static string BuildDirectory { get; } = typeof(NativeTestPrograms).Assembly
        .GetCustomAttributes<AssemblyMetadataAttribute>().Single(a => a.Key == "NativeBuildDirectory").Value!;

    /// <summary>Of the test of that name, when all have run; fails with the compiler's output.</summary>
    internal async Task<Outcome> OutcomeAsync(string name) =>
        (await _outcomes.Value).GetValueOrDefault(name, new Outcome(false, $"ctest does not report {name}."));

    /// <summary>The names ctest knows. The build of the core library has configured the directory already.</summary>
    internal static IEnumerable<string> List()
    {
        CommandLine.Result result = CommandAsync(ListDeadline, "ctest", "--show-only=json-v1").GetAwaiter().GetResult();
        if (result.ExitCode != 0)
        {
            throw new InvalidOperationException(result.ToString());
        }

        using JsonDocument list = JsonDocument.Parse(result.Output);
        return [.. list.RootElement.GetProperty("tests").EnumerateArray().Select(test => test.GetProperty("name").GetString()!)];
    }

    /// <summary>Runs the tests of a directory. Where ctest failed and no test did, none has passed: this throws.</summary>
    internal static async Task<Dictionary<string, Outcome>> RunAsync(string directory)
    {
        string report = Path.GetTempFileName();
        try
        {
            CommandLine.Result result = await CommandLine.RunAsync(
                "ctest",
                ["--parallel", "2", "--no-tests=error", "--output-on-failure", "--timeout", "240", "--output-junit", report],
                directory,
                RunDeadline);
            Dictionary<string, Outcome> outcomes = XDocument.Load(report).Descendants("testcase").ToDictionary(
                static test => test.Attribute("name")!.Value,
                static test => new Outcome(test.Attribute("status")!.Value == "run", test.ToString()));
            bool isExplained = outcomes.Count > 0 && (result.ExitCode == 0 || outcomes.Values.Any(static outcome => !outcome.HasPassed));
            return isExplained ? outcomes : throw new InvalidOperationException(result.ToString());
        }
        finally
        {
            File.Delete(report);
        }
    }

    private async Task<Dictionary<string, Outcome>> RunAsync()
    {
        await Built;
        return await RunAsync(BuildDirectory);
    }

    private static Task<CommandLine.Result> CommandAsync(TimeSpan deadline, string program, params string[] arguments) =>
        CommandLine.RunAsync(program, arguments, BuildDirectory, deadline);

    /// <summary>Under the same lock as native.proj: two test runs may meet here.</summary>
    private static async Task BuildAsync()
    {
        CommandLine.Result result = await CommandAsync(
            BuildDeadline, "sh", "-c", "exec 9>../.lock; flock 9 2>/dev/null; exec cmake --build . --parallel");
        Assert.True(result.ExitCode == 0, result.ToString());
    }
}
