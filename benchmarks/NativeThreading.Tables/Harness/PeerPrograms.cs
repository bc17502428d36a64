using System.Diagnostics;
using System.Reflection;
using System.Text.RegularExpressions;

namespace NativeThreading.Tables.Harness;

/// <summary>The C programs of <c>benchmarks/peers</c>, built into <c>artifacts/peers</c> when a table first asks for them. What is not installed
/// leaves a program out and is named in <see cref="Missing"/>; what does not compile is an error.</summary>
internal sealed partial class PeerPrograms
{
    private const string Compiler = "CMake, a C compiler or make was not found: apt-get install -y cmake gcc libc6-dev make";
    private const string Libuv = "libuv was not found: apt-get install -y libuv1-dev";

    // Two tables may come here at the same time; without flock(1) the second is at its own risk. Configured each time,
    // which costs half a second, because libuv may have been installed since.
    private const string Script = "exec 9>.lock; flock 9 2>/dev/null; cmake -S \"$0\" -B . && cmake --build . --parallel";

    private static readonly TimeSpan s_buildDeadline = TimeSpan.FromMinutes(4);
    private static readonly Lazy<PeerPrograms> s_built = new(Build);

    private readonly string? _directory;

    private PeerPrograms(string? directory, string? missing, string? libuvVersion) =>
        (_directory, Missing, LibuvVersion) = (directory, missing, libuvVersion);

    /// <summary>The programs as they are now; builds them the first time, in seconds when nothing has changed.</summary>
    /// <exception cref="MeasurementException">They do not build; the message ends with what the compiler said.</exception>
    public static PeerPrograms Built => s_built.Value;

    /// <summary>For a note: what is not there and how to install it. Null where all is there.</summary>
    public string? Missing { get; }

    /// <summary>Of the libuv that the programs are linked with, as 1.44.2; null without one.</summary>
    public string? LibuvVersion { get; }

    /// <summary>The path of a program; null where it was not built, for the reason that <see cref="Missing"/> gives.</summary>
    public string? Find(string name) =>
        _directory is not null && Path.Combine(_directory, name) is string path && File.Exists(path) ? path : null;

    /// <summary>Whether a program can be found on PATH.</summary>
    public static bool IsInstalled(string program) =>
        (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator).Any(d => File.Exists(Path.Combine(d, program)));

    private static PeerPrograms Build()
    {
        if (!IsInstalled("cmake") || !IsInstalled("make") || !((string[])["cc", "gcc", "clang"]).Any(IsInstalled))
        {
            return new PeerPrograms(null, Compiler, null);
        }

        string source = typeof(PeerPrograms).Assembly
            .GetCustomAttributes<AssemblyMetadataAttribute>().Single(a => a.Key == "PeersDirectory").Value!;
        string directory = Path.GetFullPath(Path.Combine(source, "..", "..", "artifacts", "peers"));
        Directory.CreateDirectory(directory);
        Run(source, directory);

        string? version = LibuvVersionIn(Path.Combine(directory, "CMakeCache.txt"));
        if (version is null)
        {
            // Of an earlier build, when libuv was there.
            File.Delete(Path.Combine(directory, "echo_libuv"));
        }

        return new PeerPrograms(directory, version is null ? Libuv : null, version);
    }

    private static void Run(string source, string directory)
    {
        var start = new ProcessStartInfo("sh", ["-c", Script, source])
        {
            WorkingDirectory = directory,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using Process process = Process.Start(start)!;
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        Task<string> error = process.StandardError.ReadToEndAsync();
        if (!process.WaitForExit(s_buildDeadline))
        {
            process.Kill(entireProcessTree: true);
            throw new MeasurementException($"the build of benchmarks/peers did not end within {s_buildDeadline.TotalMinutes} minutes.");
        }

        if (process.ExitCode != 0)
        {
            throw new MeasurementException($"benchmarks/peers does not build.\n{output.Result}{error.Result}");
        }
    }

    private static string? LibuvVersionIn(string cache)
    {
        string entries = File.ReadAllText(cache);
        if (LibuvInclude().Match(entries) is not { Success: true } include || !LibuvLibrary().IsMatch(entries))
        {
            return null;
        }

        Dictionary<string, string> numbers = VersionNumber()
            .Matches(File.ReadAllText(Path.Combine(include.Groups[1].Value, "uv", "version.h")))
            .ToDictionary(m => m.Groups[1].Value, m => m.Groups[2].Value);
        return $"{numbers["MAJOR"]}.{numbers["MINOR"]}.{numbers["PATCH"]}";
    }

    [GeneratedRegex(@"^UV_INCLUDE:PATH=(/.*)$", RegexOptions.Multiline)]
    private static partial Regex LibuvInclude();

    [GeneratedRegex(@"^UV_LIBRARY:FILEPATH=/", RegexOptions.Multiline)]
    private static partial Regex LibuvLibrary();

    [GeneratedRegex(@"#define UV_VERSION_(MAJOR|MINOR|PATCH) (\d+)")]
    private static partial Regex VersionNumber();
}
