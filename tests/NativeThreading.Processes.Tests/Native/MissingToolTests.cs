using System.Diagnostics;
using System.Runtime.InteropServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Native;

/// <summary>Without CMake or a compiler the build says what is missing and how to install it, in one line.</summary>
public sealed class MissingToolTests : IDisposable
{
    private static readonly TimeSpan Deadline = TimeSpan.FromMinutes(1);

    private readonly DirectoryInfo tools = Directory.CreateTempSubdirectory("nth-tools-");

    public void Dispose() => tools.Delete(recursive: true);

    [Theory]
    [InlineData("cc make", "NTH0001: CMake,", "apt-get install -y cmake")]
    [InlineData("cmake make", "NTH0002: A C compiler", "apt-get install -y gcc")]
    [InlineData("cmake cc", "NTH0002: A C compiler and make,", "libc6-dev make")]
    public async Task BuildWithoutATool_NamesItAndItsInstallation(string present, string missing, string install)
    {
        File.CreateSymbolicLink(Path.Combine(tools.FullName, "sh"), "/bin/sh");
        foreach (string tool in present.Split(' '))
        {
            File.CreateSymbolicLink(Path.Combine(tools.FullName, tool), "/bin/false");
        }

        CommandLine.Result result = await BuildAsync();

        string[] lines = result.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        string line = Assert.Single(lines, line => line.Contains("error", StringComparison.Ordinal));
        Assert.Contains(missing, line, StringComparison.Ordinal);
        Assert.Contains(install, line, StringComparison.Ordinal);
        Assert.Equal(1, result.ExitCode);
    }

    /// <summary>Builds a preset that does not exist: no library is there, so that the tools are looked for.</summary>
    private Task<CommandLine.Result> BuildAsync()
    {
        string dotnet = Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "../../../dotnet");
        string project = Path.Combine(NativeTestPrograms.BuildDirectory, "../../native.proj");
        var start = new ProcessStartInfo(dotnet, ["msbuild", project, "-nologo", "-verbosity:minimal", "-p:NativePreset=none"]);
        start.Environment["PATH"] = tools.FullName;
        start.Environment.Remove("CC");
        return CommandLine.RunAsync(start, Deadline);
    }
}
