using System.Diagnostics;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;

namespace NativeThreading.Tests.Support;

/// <summary>
/// Runs a static method in a process of its own: for crashes, process exit and first use. The child is this very
/// executable, with <see cref="StartupHook"/> in front of its Main.
/// </summary>
internal static class ChildProcess
{
    /// <summary>The child is to leave through its Main, not through Environment.Exit.</summary>
    public const int ReturnFromMain = int.MinValue;

    public const string MethodVariable = "NTH_TEST_CHILD_METHOD";

    internal readonly record struct Result(int ExitCode, string Output, string Error, TimeSpan Elapsed)
    {
        public override string ToString() => $"exit code {ExitCode} after {Elapsed}\n{Output}\n{Error}";
    }

    /// <summary>What <paramref name="main"/> returns becomes the exit code.</summary>
    public static async Task<Result> RunAsync(Func<int> main, params (string Name, string Value)[] environment)
    {
        using var process = new Process { StartInfo = Start(main, environment) };
        long started = Stopwatch.GetTimestamp();
        process.Start();
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        Task<string> error = process.StandardError.ReadToEndAsync();
        using var deadline = new CancellationTokenSource(2 * Deadline.Time); // the child's own deadlines end first, and say what they waited for
        try
        {
            await process.WaitForExitAsync(deadline.Token);
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            throw new TimeoutException($"The child {main.Method.Name} did not end.\n{await output}\n{await error}");
        }

        TimeSpan elapsed = Stopwatch.GetElapsedTime(started);
        return new Result(process.ExitCode, await output, await error, elapsed);
    }

    /// <summary>How such a child is started by a test that talks to it, and ends it.</summary>
    public static ProcessStartInfo Start(Func<int> main, params (string Name, string Value)[] environment)
    {
        if (!main.Method.IsStatic || main.Method.DeclaringType is not { } type)
        {
            throw new ArgumentException("A static method is needed: the child finds it by its name.", nameof(main));
        }

        // A program of another processor is started by what runs this one: tests/linux-arm64.
        string[] emulator = Environment.GetEnvironmentVariable("NTH_EMULATOR")?.Split(' ') ?? [];
        string[] command = [.. emulator, HostPath, "-assemblyInfo"];
        var start = new ProcessStartInfo(command[0], command[1..])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment["DOTNET_STARTUP_HOOKS"] = typeof(ChildProcess).Assembly.Location;
        start.Environment["DOTNET_ROOT"] = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", ".."));
        start.Environment["DOTNET_DbgEnableMiniDump"] = "0";
        start.Environment[MethodVariable] = $"{type.FullName}:{main.Method.Name}";
        foreach ((string name, string value) in environment)
        {
            start.Environment[name] = value;
        }

        return start;
    }

    /// <summary>
    /// In a child that another of its threads is about to end by a crash: were that swallowed, this exit code would tell.
    /// </summary>
    public static int Survived()
    {
        Thread.Sleep(Deadline.Time / 3);
        return 0;
    }

    private static string HostPath => Path.ChangeExtension(
        typeof(ChildProcess).Assembly.Location, RuntimeInformation.IsOSPlatform(OSPlatform.Windows) ? ".exe" : null);
}
