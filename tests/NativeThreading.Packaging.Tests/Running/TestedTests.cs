using NativeThreading.Packaging.Tests.Content;
using NativeThreading.Packaging.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Running;

/// <summary>T95: the pool for tests needs no native library: its package is of use wherever .NET runs.</summary>
public sealed class TestedTests(PackageFeed feed)
{
    [Fact]
    public async Task T95_ManualPool_WorksWithoutTheNativeLibrary()
    {
        PublishedProgram program = await new Consumer(feed, "Tested").PublishAsync($"RuntimeIdentifier={NativePlatforms.Own}", "SelfContained=false");
        File.Delete(Path.Combine(program.Location, PublishedProgram.NativeLibraryName));

        CommandLine.Result result = await program.RunAsync();
        Assert.True(result.ExitCode == 0, result.ToString());
        Assert.Equal("waiting: 1, ran: 1, done: False\ndone: True, result: 42\n", result.Output);
    }
}
