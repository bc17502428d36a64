using System.Diagnostics;
using NativeThreading.Packaging.Tests.Content;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Support;

/// <summary>A directory that could be copied to a server.</summary>
internal sealed class PublishedProgram(string directory, string name, PackageFeed feed)
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromMinutes(1);

    public const string NativeLibraryName = "libnativethreading.so";

    public string Location => directory;

    public string[] Files =>
        [.. Directory.GetFiles(directory, "*", SearchOption.AllDirectories).Select(file => Path.GetRelativePath(directory, file)).Order(StringComparer.Ordinal)];

    /// <summary>Without what debuggers read.</summary>
    public IEnumerable<string> FilesWithoutSymbols => Files.Where(file => Path.GetExtension(file) is not (".dbg" or ".pdb"));

    public string[] NativeLibraries => [.. Files.Where(file => NativePlatforms.LibraryNames.Contains(Path.GetFileName(file)))];

    /// <summary>Where a portable program has the library of a platform.</summary>
    public string NativeLibrary(string runtimeIdentifier) => Path.Combine(directory, NativePlatforms.Library(runtimeIdentifier));

    public string Assembly(string assembly) => Path.Combine(directory, $"{assembly}.dll");

    public Task<CommandLine.Result> RunAsync(params string[] arguments) => CommandLine.RunAsync(Executable(arguments), s_deadline);

    /// <summary>Runs it with a variable more in its environment.</summary>
    public Task<CommandLine.Result> RunWithAsync(string variable, string value, params string[] arguments) =>
        RunWithAsync([(variable, value)], arguments);

    /// <summary>The same with several.</summary>
    public Task<CommandLine.Result> RunWithAsync((string Variable, string Value)[] environment, params string[] arguments) =>
        CommandLine.RunAsync(With(Executable(arguments), environment), s_deadline);

    /// <summary>Runs a program for Windows.</summary>
    public Task<CommandLine.Result> RunUnderWineAsync(params (string Variable, string Value)[] environment) => CommandLine.RunAsync(
        With(
            new ProcessStartInfo(Path.Combine(PackageFeed.RepositoryRoot, "native", "cmake", "under-wine"), [Path.Combine(directory, $"{name}.exe")]) { WorkingDirectory = feed.Workspace },
            [.. environment, ("DOTNET_EnableWriteXorExecute", "0")]), // tests/win-x64 says why
        s_deadline);

    public ProcessStartInfo Executable(params string[] arguments) =>
        new(Path.Combine(directory, name), arguments) { WorkingDirectory = feed.Workspace };

    /// <summary>Runs it with the `dotnet` command, as if the machine had the given runtime identifier.</summary>
    public Task<CommandLine.Result> RunWithDotNetAsync(string runtimeIdentifier, string core = "") => CommandLine.RunAsync(
        new ProcessStartInfo("dotnet", [Assembly(name)])
        {
            WorkingDirectory = feed.Workspace,
            Environment = { ["DOTNET_RUNTIME_ID"] = runtimeIdentifier, ["NATIVETHREADING_CORE"] = core },
        },
        s_deadline);

    /// <summary>A copy that a test may damage.</summary>
    public PublishedProgram Copy()
    {
        string copy = Directory.CreateDirectory(Path.Combine(feed.Workspace, $"copy-{Guid.NewGuid():N}")).FullName;
        foreach (string file in Files)
        {
            Directory.CreateDirectory(Path.GetDirectoryName(Path.Combine(copy, file))!);
            File.Copy(Path.Combine(directory, file), Path.Combine(copy, file));
        }

        return new PublishedProgram(copy, name, feed);
    }

    private static ProcessStartInfo With(ProcessStartInfo start, (string Variable, string Value)[] environment)
    {
        foreach ((string variable, string value) in environment)
        {
            start.Environment[variable] = value;
        }

        return start;
    }
}
