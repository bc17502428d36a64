using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.EventLoops.Shutdown;

/// <summary>What a callback does not handle ends the process, or a handler takes it; never a loop that is silently dead (T132).</summary>
public sealed class LoopUnhandledExceptionTests
{
    [Theory]
    [InlineData("callback")]
    [InlineData("timer")]
    [InlineData("async void")]
    [InlineData("completion")]
    [InlineData("continuation")]
    public async Task T132_ByDefault_TheProcessCrashes(string source) =>
        AssertCrashed(await ChildProcess.RunAsync(LoopCrashChildren.Crash, (LoopCrashChildren.SourceVariable, source)));

    [Fact]
    [NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
    public Task T132_ByDefault_ADescriptorsHandlerCrashesTheProcess() => T132_ByDefault_TheProcessCrashes("handler");

    [Fact]
    public async Task T132_AHandlerThatRefuses_LetsTheProcessCrash()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(LoopCrashChildren.HandlerThatRefuses);
        AssertCrashed(child);
        Assert.Contains("asked", child.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task T132_TheRuntimesHandlerTakesIt_TheLoopGoesOnOnANewThreadAndLosesNothing()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(LoopCrashChildren.RuntimesHandlerTakesIt);
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    [Fact]
    public async Task T132_WithoutANewThread_TheLoopSaysSoAndStops()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(LoopCrashChildren.NoThreadToGoOnWith);
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    private static void AssertCrashed(ChildProcess.Result child)
    {
        Assert.True(child.ExitCode == 134, child.ToString()); // SIGABRT
        Assert.Contains("Unhandled exception", child.Error, StringComparison.Ordinal);
        Assert.Contains(nameof(InvalidTimeZoneException), child.Error, StringComparison.Ordinal);
        Assert.Contains(LoopCrashChildren.Message, child.Error, StringComparison.Ordinal);
    }
}
