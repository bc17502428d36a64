using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using NativeThreading.Hosting.Tests.Support;

namespace NativeThreading.Hosting.Tests.Registration;

/// <summary>Event loops in a container.</summary>
public sealed class LoopsRegistrationTests
{
    [Fact]
    public async Task NamedGroup_IsAKeyedSingleton_BoundFromItsSection()
    {
        await using TestHost host = await new TestHost(
            services => services.AddEventLoopGroup("io", options => options.ThreadPriority = ThreadPriority.BelowNormal),
            ("NativeThreading:EventLoops:io:LoopCount", "2")).StartAsync();
        var loops = host.Provider.GetRequiredKeyedService<EventLoopGroup>("io");
        Assert.Same(loops, host.Provider.GetRequiredKeyedService<EventLoopGroup>("io"));
        Assert.Equal(["io-0", "io-1"], loops.Loops.Select(loop => loop.Name));
        Assert.Contains(host.Log.All, record => record is { Id: 4, Text: "Event loop group 'io' started with 2 loops." });
    }

    [Fact]
    public async Task DefaultGroup_IsTheUnkeyedService()
    {
        await using var host = new TestHost(services => services.AddEventLoopGroup(options => options.LoopCount = 1));
        Assert.Same(host.Provider.GetRequiredService<EventLoopGroup>(), host.Provider.GetRequiredKeyedService<EventLoopGroup>("default"));
    }

    [Fact]
    public void TwoGroupsWithOneName_AreRefused()
    {
        var services = new ServiceCollection();
        services.AddEventLoopGroup("io");
        var refused = Assert.Throws<InvalidOperationException>(() => services.AddEventLoopGroup("io"));
        Assert.Contains("NativeThreading:EventLoops:io", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("LoopCount", "0", "must be between 1 and 1024, but was 0.")]
    [InlineData("LoopCount", "1025", "must be between 1 and 1024, but was 1025.")]
    [InlineData("ThreadPriority", "9", "must be between Lowest and Highest, but was 9.")]
    [InlineData("MaxStackSize", "-1", "must be 0, or between 262144 and 2147483647, but was -1.")]
    [InlineData("MaxBlockedThreads", "0", "must be between 1 and 32767, but was 0.")]
    [InlineData("Name", "other", "must be 'io', the name of the registration, but was 'other'.")]
    public async Task OptionOutOfRange_FailsTheStart_WithFullKeyRangeAndValue(string key, string value, string message)
    {
        await using var host = new TestHost(services => services.AddEventLoopGroup("io"), ($"NativeThreading:EventLoops:io:{key}", value));
        var refused = await Assert.ThrowsAsync<OptionsValidationException>(host.StartAsync);
        Assert.Equal([$"NativeThreading:EventLoops:io:{key}: {key} {message}"], refused.Failures);
    }
}
