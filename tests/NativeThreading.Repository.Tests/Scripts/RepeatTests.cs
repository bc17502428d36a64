using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Scripts;

/// <summary>
/// tests/repeat in a repository of its own, with a dotnet that does what the test says: its rounds are counted, none twice,
/// and nothing of it stays when it is ended.
/// </summary>
[BesideOthers]
public sealed class RepeatTests : IDisposable
{
    private const string Mark = "NTH_REPEAT_TEST";

    private readonly ScriptRepository _repository = new("tests/repeat");
    private readonly string _mark = Guid.NewGuid().ToString();

    public void Dispose() => _repository.Dispose();

    [Fact]
    public async Task RoundsAreCountedOnce_AndWhatFailedIsNamed()
    {
        await _repository.CommitAsync();

        // The second round fails by a test, the third by a project that breaks.
        await DotnetAsync("""
            case $round in 2) outcome Passed ok; outcome Failed 'T1(&quot;a&quot;)'; exit 1 ;; 3) outcome Passed ok; exit 3 ;; *) outcome Passed ok ;; esac
            """);
        CommandLine.Result result = await RepeatAsync("--rounds", "2");
        Assert.Equal((1, "1 passed, 1 failed"), (result.ExitCode, LastLine(result)));

        // It continues where it was, and counts the rounds before.
        result = await RepeatAsync("--rounds", "4");
        Assert.Equal((1, "2 passed, 2 failed"), (result.ExitCode, LastLine(result)));
        Assert.Contains("""1 x T1("a")""", result.Output, StringComparison.Ordinal);
        Assert.Contains("1 x (exit code 3)", result.Output, StringComparison.Ordinal);
        string[][] lines = [.. File.ReadLines(At("artifacts/repeat/rounds.tsv")).Select(static line => line.Split('\t'))];
        Assert.Equal(["-", """T1("a")""", "(exit code 3)", "-"], lines.Select(static line => line[5]));
        Assert.Equal(["1 0", "1 1", "1 0", "1 0"], lines.Select(static line => $"{line[3]} {line[4]}"));
        Assert.All(lines, static line => Assert.Equal("alone", line[1]));
        Assert.Equal(2, Directory.GetDirectories(At("artifacts/repeat/failed")).Length);

        // Other conditions and another state of the tree begin anew.
        result = await RepeatAsync("--rounds", "1", "--beside", "1");
        Assert.Equal((0, "1 passed, 0 failed"), (result.ExitCode, LastLine(result)));
        File.WriteAllText(At("changed"), "");
        result = await RepeatAsync("--rounds", "1");
        Assert.Equal((0, "1 passed, 0 failed"), (result.ExitCode, LastLine(result)));
    }

    [Fact]
    public async Task RoundThatIsInterrupted_LeavesNoLineAndNoProcess()
    {
        await _repository.CommitAsync();
        await DotnetAsync("touch running; sleep 1000 & wait");
        using Process repeat = Process.Start(StartInfo("--beside", "2"))!;
        Deadline.Until(() => File.Exists(At("running")));
        Assert.InRange(Marked().Length, 5, int.MaxValue); // the script, two loops, and what the round runs

        await _repository.RunAsync($"kill -TERM {repeat.Id}");
        Assert.True(repeat.WaitForExit(Deadline.Time));
        Deadline.Until(() => Marked().Length == 0);
        Assert.Empty(File.ReadLines(At("artifacts/repeat/rounds.tsv")));
    }

    /// <summary>A dotnet that builds anything; of its tests the script decides.</summary>
    private Task DotnetAsync(string test) => _repository.DotnetAsync($$"""
        [ "$1" = test ] || exit 0
        while [ "$1" != --results-directory ]; do shift; done
        results=$2
        outcome() { printf '<UnitTestResult testName="%s" outcome="%s" />\n' "$2" "$1" >> "$results/some.trx"; }
        echo >> bin/rounds
        round=$(wc -l < bin/rounds)
        {{test}}
        """);

    private Task<CommandLine.Result> RepeatAsync(params string[] arguments) => CommandLine.RunAsync(StartInfo(arguments), Deadline.Time);

    private ProcessStartInfo StartInfo(params string[] arguments)
    {
        ProcessStartInfo start = _repository.StartInfo(arguments);
        start.Environment[Mark] = _mark;
        return start;
    }

    /// <summary>The processes that descend from the script, whichever process is their parent by now.</summary>
    private string[] Marked() => [.. Directory.EnumerateDirectories("/proc", "*").Where(directory =>
    {
        try
        {
            return char.IsDigit(Path.GetFileName(directory)[0])
                && File.ReadAllText(Path.Combine(directory, "environ")).Contains(_mark, StringComparison.Ordinal);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false; // it has ended, or belongs to another process
        }
    })];

    private static string LastLine(CommandLine.Result result) => result.Output.TrimEnd().Split('\n')[^1];

    private string At(string path) => _repository.At(path);
}
