using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Lifecycle;

/// <summary>A process ends promptly and with its own exit code, whatever the workers do (T40).</summary>
public sealed class ProcessExitTests
{
    private static readonly TimeSpan s_prompt = TimeSpan.FromSeconds(20); // a process that does not end is killed after a minute

    public static TheoryData<string> States() => new("idle", "lingering", "running", "blocked", "queueing", "stopped");

    [Theory]
    [MemberData(nameof(States))]
    public async Task T40_EnvironmentExit_EndsTheProcessWithItsCode(string state)
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(ExitChildren.Exit, (ExitChildren.StateVariable, state));
        Assert.True(child.ExitCode == ExitChildren.ExitCode, child.ToString());
        Assert.True(child.Elapsed < s_prompt, child.ToString());
    }

    [Theory]
    [MemberData(nameof(States))]
    public async Task T40_ReturnFromMain_EndsTheProcessWithItsCode(string state)
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(ExitChildren.Return, (ExitChildren.StateVariable, state));
        Assert.True(child.ExitCode == 0, child.ToString());
        Assert.Contains("test-framework", child.Output, StringComparison.Ordinal); // Main did run
        Assert.True(child.Elapsed < s_prompt, child.ToString());
    }

    [Theory]
    [MemberData(nameof(States))]
    public async Task T40_UnhandledExceptionOnTheMainThread_EndsTheProcess(string state)
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(ExitChildren.Throw, (ExitChildren.StateVariable, state));
        Assert.True(child.ExitCode == 134, child.ToString());
        Assert.True(child.Elapsed < s_prompt, child.ToString());
    }

    [Fact]
    public async Task T40_EnvironmentExitOnAWorker_EndsTheProcessWithItsCode()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(ExitChildren.ExitOnWorker);
        Assert.True(child.ExitCode == ExitChildren.ExitCode, child.ToString());
        Assert.True(child.Elapsed < s_prompt, child.ToString());
    }

    [Fact]
    public async Task T41_FirstUseFromAStaticConstructor_Works()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(ExitChildren.UseFromStaticConstructor);
        Assert.True(child.ExitCode == 0, child.ToString());
    }
}
