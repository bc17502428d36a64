using Microsoft.Extensions.DependencyInjection;
using NativeThreading.Hosting.Tests.Support;

namespace NativeThreading.Hosting.Tests.Lifetime;

/// <summary>The host starts the threads, before anything else of it starts.</summary>
public sealed class HostStartTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task MinThreads_RunBeforeAnyOtherServiceStarts(bool concurrently)
    {
        int atStart = -1;
        await using var host = new TestHost();
        host.Configure(options => options.ServicesStartConcurrently = concurrently);

        // Added first, so that nothing but the phases of the host's start puts it behind.
        host.Services.AddHostedService(services => new TestService(() => atStart = services.GetRequiredKeyedService<NativeThreadPool>("reports").ThreadCount));
        host.Services.AddNativeThreadPool("reports", options => (options.MinThreads, options.MaxThreads) = (3, 4));
        await host.StartAsync();
        Assert.Equal(3, atStart);
        Assert.Contains((Microsoft.Extensions.Logging.LogLevel.Debug, 1, "Pool 'reports' started with 3 threads; up to 4 run at the same time."), host.Log.All);
    }

    [Fact]
    public async Task WithoutMinThreads_NoThreadIsStarted()
    {
        await using TestHost host = await new TestHost(services => services.AddNativeThreadPool("reports")).StartAsync();
        Assert.Equal(0, host.Pool("reports").ThreadCount);
    }
}
