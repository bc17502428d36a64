using System.Globalization;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Interop;

/// <summary>A process whose system calls are filtered, as those of containers are.</summary>
[Trait("Category", "Fault")]
[NeedsNativeCore(NeedsNativeCoreAttribute.Library)]
public sealed class ForbiddenSystemCallTests
{
    private const string Errno = nameof(Errno);

    [Theory]
    [InlineData(SystemCallFilter.NotPermitted)]
    [InlineData(SystemCallFilter.NotImplemented)]
    public async Task LoopThatMayNotBeCreated_ThrowsWithTheSystemCallAndErrno_AndPoolsWork(int errno)
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(CreateLoop, (Errno, $"{errno}"));
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    private static int CreateLoop()
    {
        int errno = int.Parse(Environment.GetEnvironmentVariable(Errno)!, CultureInfo.InvariantCulture);
        SystemCallFilter.ForbidEventDescriptors(errno);

        InvalidOperationException refused = Assert.Throws<InvalidOperationException>(static () => new EventLoop());
        Assert.StartsWith("The event loop could not be created: eventfd2 failed: ", refused.Message, StringComparison.Ordinal);
        Assert.EndsWith($"(errno {errno}).", refused.Message, StringComparison.Ordinal);
        Assert.Throws<InvalidOperationException>(static () => new EventLoopGroup(2));
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "without loops", MaxThreads = 2 });
        Assert.Equal(42, Deadline.Result(pool.Run(static () => 42)));
        return 0;
    }
}
