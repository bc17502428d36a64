using System.Text.RegularExpressions;
using NativeThreading.Packaging.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Running;

/// <summary>
/// docs/start/tutorial-web.md from its beginning to its end: the commands and the programs are those of the page, the packages those of this
/// run. So the page's code stands nowhere else.
/// </summary>
public sealed partial class TutorialTests(PackageFeed feed)
{
    private const int Reports = 50;

    /// <summary>Two threads would need 50 s.</summary>
    private static readonly TimeSpan s_healed = TimeSpan.FromSeconds(30);

    [Fact, Trait("Category", "Long")]
    public async Task EachStepDoesWhatThePageSays()
    {
        string page = await File.ReadAllTextAsync(Path.Combine(PackageFeed.RepositoryRoot, "docs", "start", "tutorial-web.md"));
        string directory = Directory.CreateDirectory(Path.Combine(feed.Workspace, "tutorial")).FullName;
        var checks = new Queue<Func<RunningApplication, Task>>([_ => Task.CompletedTask, IsolatesAndHealsAsync, IsObservedAsync]);

        foreach (Match step in Step().Matches(page))
        {
            string[] command = step.Groups["command"].Value.Split(' ');
            switch (command)
            {
                case ["cd", var project]:
                    directory = Path.Combine(directory, project);
                    break;
                case ["dotnet", "run", ..]:
                    string text = page[step.Index..];
                    await BuildAndRunAsync(directory, [.. Paths(Run().Split(text, 3)[1])], checks.Dequeue());
                    break;
                case ["dotnet", "add", "package", ..]:
                    await SucceedAsync(directory, [.. command[1..], "--version", feed.Version]);
                    break;
                case ["dotnet", ..]:
                    await SucceedAsync(directory, command[1..]);
                    break;
                default:
                    await File.WriteAllTextAsync(Path.Combine(directory, "Program.cs"), step.Groups["program"].Value);
                    break;
            }
        }

        Assert.Empty(checks);
    }

    private static IEnumerable<string> Paths(string text) => Address().Matches(text).Select(address => address.Groups[1].Value).Distinct();

    private async Task BuildAndRunAsync(string project, string[] paths, Func<RunningApplication, Task> check)
    {
        await SucceedAsync(project, "build", "-v", "quiet", "-nologo"); // a warning is an error there
        using RunningApplication application = await RunningApplication.StartAsync(Path.Combine(project, "bin", "Debug", "net10.0", Path.GetFileName(project)));
        Assert.NotEmpty(paths);
        foreach (string path in paths)
        {
            Assert.NotEmpty(await application.GetAsync(path));
        }

        await check(application);
        Assert.Equal(0, await application.StopAsync());
    }

    private static async Task IsolatesAndHealsAsync(RunningApplication application)
    {
        Task<string>[] reports = Ask(application);
        Assert.Equal("pong", await application.GetAsync("/ping"));
        Assert.Contains(reports, report => !report.IsCompleted);
        Assert.All(await Task.WhenAll(reports).WaitAsync(s_healed), answer => Assert.Equal("42 rows", answer));
    }

    private static async Task IsObservedAsync(RunningApplication application)
    {
        Task<string>[] reports = Ask(application);
        string counts = "";
        while (!counts.StartsWith("22 threads, 22 blocked, ", StringComparison.Ordinal))
        {
            Assert.Contains(reports, report => !report.IsCompleted);
            counts = await application.GetAsync("/pool");
        }

        Assert.All(await Task.WhenAll(reports), answer => Assert.Equal("42 rows", answer));
        Assert.Equal("Healthy", await application.GetAsync("/health"));
        Deadline.Until(() => application.Log.Contains("[105]", StringComparison.Ordinal) && application.Log.Contains("[107]", StringComparison.Ordinal), application.Log);
    }

    private static Task<string>[] Ask(RunningApplication application) => [.. Enumerable.Range(0, Reports).Select(_ => application.GetAsync("/report"))];

    private async Task SucceedAsync(string directory, params string[] arguments)
    {
        CommandLine.Result result = await DotNet.RunAsync(directory, feed.NuGetSettings, arguments);
        Requirement.Restorable(result.Output);
        Assert.True(result.ExitCode == 0, $"dotnet {string.Join(' ', arguments)}\n{result}");
    }

    [GeneratedRegex(@"^```csharp\n(?<program>.*?)^```|^    (?<command>(?:dotnet|cd) [^\n]*)$", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Step();

    [GeneratedRegex("^    dotnet run ", RegexOptions.Multiline)]
    private static partial Regex Run();

    [GeneratedRegex(@"http://localhost:5000(/\w+)")]
    private static partial Regex Address();
}
