using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Scripts;

/// <summary>
/// native/cmake/under-wine with a Wine that does what the test says: a program that never began begins again, and one that
/// failed has failed.
/// </summary>
[BesideOthers]
public sealed class UnderWineTests : IDisposable
{
    private readonly ScriptRepository _repository = new("native/cmake/under-wine");

    public void Dispose() => _repository.Dispose();

    [Theory]
    [InlineData("echo a_test; exit 0", 0, 1)]
    [InlineData("exit 0", 0, 1)]
    [InlineData("echo a_test; exit 3", 3, 1)] // it began
    [InlineData("[ $calls -eq 2 ] && echo a_test && exit 0; exit 5", 0, 2)]
    [InlineData("[ $calls -eq 2 ] && echo a_test; exit 5", 5, 2)]
    [InlineData("exit 5", 5, 3)] // it will never begin
    public async Task ProgramBeginsAgain_OnlyIfItNeverBegan(string wine, int exitCode, int calls)
    {
        await _repository.CommandAsync("wineserver64", "exit 2"); // it runs
        await _repository.CommandAsync("wine64", $"echo >> calls; calls=$(wc -l < calls)\n{wine}");
        var start = _repository.StartInfo("some.exe", "a_test");
        start.Environment["WINEPREFIX"] = _repository.At("prefix");

        CommandLine.Result result = await CommandLine.RunAsync(start, Deadline.Time);

        Assert.Equal(exitCode, result.ExitCode);
        Assert.Equal(calls, File.ReadLines(_repository.At("calls")).Count());
        // No user should rely on a Wine that fails without a message.
        Assert.Equal(calls - 1, result.ToString().Split("begins again").Length - 1);
    }
}
