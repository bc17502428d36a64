using System.Globalization;
using System.Runtime.InteropServices;
using System.Text.Json.Nodes;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Interop;

/// <summary>A copy of this very test output, to be damaged, in which a child process can run one of its methods.</summary>
internal sealed class AlteredOutput : IDisposable
{
    private static readonly string s_source = Path.GetDirectoryName(typeof(AlteredOutput).Assembly.Location)!;

    private readonly DirectoryInfo _copy = Directory.CreateTempSubdirectory("nth-output-");
    private string[] _asSomebody = [];

    public AlteredOutput()
    {
        foreach (string file in Directory.EnumerateFiles(s_source))
        {
            File.Copy(file, Path.Combine(Location, Path.GetFileName(file)));
        }
    }

    public string Location => _copy.FullName;

    public string NativeLibrary => Path.Combine(Location, "libnativethreading.so");

    public void Dispose() => _copy.Delete(recursive: true);

    /// <summary>Replaces the library by one that has one function.</summary>
    public async Task ReplaceLibraryAsync(string function)
    {
        string source = Path.Combine(Location, "stub.c");
        await File.WriteAllTextAsync(source, function);
        File.Delete(NativeLibrary);
        CommandLine.Result built = await CommandLine.RunAsync("cc", ["-shared", "-fPIC", "-o", NativeLibrary, source], Location, Deadline.Time);
        Assert.True(built.ExitCode == 0, built.Output);
    }

    /// <summary>Leaves the beginning of the library's file.</summary>
    public void ShortenLibrary(double part)
    {
        using FileStream file = File.OpenWrite(NativeLibrary);
        file.SetLength((long)(part * file.Length));
    }

    /// <summary>Whom the child runs as may not read the library. Root may read everything, so the child then runs as another user.</summary>
    public void ForbidLibrary()
    {
        if (OperatingSystem.IsWindows())
        {
            throw new PlatformNotSupportedException();
        }

        File.SetUnixFileMode(NativeLibrary, UnixFileMode.None);
        if (Environment.IsPrivilegedProcess)
        {
            const UnixFileMode everybody = UnixFileMode.UserRead | UnixFileMode.UserExecute | UnixFileMode.GroupRead | UnixFileMode.GroupExecute
                | UnixFileMode.OtherRead | UnixFileMode.OtherExecute;
            File.SetUnixFileMode(Location, everybody | UnixFileMode.UserWrite);
            _asSomebody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
        }
    }

    /// <summary>Sets the switch by which a program chooses its core.</summary>
    public async Task SetSwitchAsync(bool managed)
    {
        string file = Path.ChangeExtension(Path.Combine(Location, Path.GetFileName(typeof(AlteredOutput).Assembly.Location)), ".runtimeconfig.json");
        JsonNode config = JsonNode.Parse(await File.ReadAllTextAsync(file))!;
        JsonNode options = config["runtimeOptions"]!;
        options["configProperties"] ??= new JsonObject();
        options["configProperties"]!["NativeThreading.ManagedCore"] = managed;
        await File.WriteAllTextAsync(file, config.ToJsonString());
    }

    /// <summary>As <see cref="ChildProcess.RunAsync"/>, but with the files of the copy, and asking for that core or for none.</summary>
    public Task<CommandLine.Result> RunAsync(Func<int> main, string core = "")
    {
        string assembly = Path.Combine(Location, Path.GetFileName(typeof(AlteredOutput).Assembly.Location));
        string dotnetRoot = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", ".."));
        string[] environment =
        [
            $"DOTNET_STARTUP_HOOKS={assembly}",
            $"DOTNET_ROOT={dotnetRoot}",
            $"NATIVETHREADING_CORE={core}",
            string.Create(CultureInfo.InvariantCulture, $"{ChildProcess.MethodVariable}={main.Method.DeclaringType!.FullName}:{main.Method.Name}"),
        ];
        return CommandLine.RunAsync("env", [.. environment, .. _asSomebody, Path.ChangeExtension(assembly, null), "-list", "classes", "-noLogo"], Location, Deadline.Time);
    }
}
