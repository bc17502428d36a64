using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Scripts;

/// <summary>A git repository of its own for a script of this one, with commands that do what the test says.</summary>
internal sealed class ScriptRepository : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("nth-script-");
    private readonly string _script;

    /// <param name="script">The script's path from the root, here and there.</param>
    public ScriptRepository(string script)
    {
        _script = script;
        Directory.CreateDirectory(Path.GetDirectoryName(At(script))!);
        File.Copy(Path.Combine(SourceTree.Root, script), At(script));
        Write(".gitignore", "artifacts/\nbin/\n");
        Directory.CreateDirectory(At("bin"));
    }

    public string Root => _directory.FullName;

    public string At(string path) => Path.Combine(Root, path);

    public void Write(string path, string text)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(At(path))!);
        File.WriteAllText(At(path), text);
    }

    /// <summary>What is there becomes a commit.</summary>
    public Task CommitAsync() =>
        RunAsync("git init -q && git add . && git -c user.name=a -c user.email=a@example.org commit -q -m 'A change'");

    /// <summary>The text of a bash script that is called in the place of dotnet.</summary>
    public Task DotnetAsync(string text) => CommandAsync("dotnet", text);

    /// <summary>The text of a bash script that is called in the place of a command.</summary>
    public Task CommandAsync(string name, string text)
    {
        Write($"bin/{name}", $"#!/bin/bash\n{text}\n");
        return RunAsync($"chmod +x bin/{name}");
    }

    public async Task RunAsync(string command)
    {
        CommandLine.Result result = await CommandLine.RunAsync("sh", ["-c", command], Root, Deadline.Time);
        Assert.True(result.ExitCode == 0, result.ToString());
    }

    /// <summary>The script, which finds those commands first.</summary>
    public ProcessStartInfo StartInfo(params string[] arguments)
    {
        var start = new ProcessStartInfo(At(_script), arguments) { WorkingDirectory = Root };
        start.Environment["PATH"] = $"{At("bin")}:{Environment.GetEnvironmentVariable("PATH")}";
        return start;
    }

    public Task<CommandLine.Result> RunScriptAsync(params string[] arguments) => CommandLine.RunAsync(StartInfo(arguments), Deadline.Time);

    public void Dispose() => _directory.Delete(recursive: true);
}
