using Microsoft.Extensions.DependencyInjection;
using NativeThreading.Hosting.Tests.Support;

namespace NativeThreading.Hosting.Tests.Registration;

/// <summary>Adding pools to a container and getting them out of it.</summary>
public sealed class PoolRegistrationTests
{
    [Fact]
    public async Task NamedPools_AreKeyedSingletons_AndCarryTheirNames()
    {
        await using var host = new TestHost(services =>
        {
            services.AddNativeThreadPool("reports");
            services.AddNativeThreadPool("mail");
        });
        NativeThreadPool reports = host.Pool("reports");
        Assert.Same(reports, host.Pool("reports"));
        Assert.NotSame(reports, host.Pool("mail"));
        Assert.Equal(("reports", "mail"), (reports.Name, host.Pool("mail").Name));
        Assert.Null(host.Provider.GetService<NativeThreadPool>());
        Assert.Throws<InvalidOperationException>(() => host.Pool("unknown"));
    }

    [Fact]
    public async Task DefaultPool_IsTheUnkeyedService_AndNamedDefault()
    {
        await using var host = new TestHost(services => services.AddNativeThreadPool());
        NativeThreadPool pool = host.Provider.GetRequiredService<NativeThreadPool>();
        Assert.Equal("default", pool.Name);
        Assert.Same(pool, host.Pool("default"));
    }

    [Fact]
    public async Task KeyedPool_IsInjectedByItsName()
    {
        await using var host = new TestHost(services =>
        {
            services.AddNativeThreadPool("reports");
            services.AddSingleton<Reports>();
        });
        Assert.Same(host.Pool("reports"), host.Provider.GetRequiredService<Reports>().Pool);
    }

    [Fact]
    public async Task WorkScheduler_IsThePool_UnderTheSameKey()
    {
        await using var host = new TestHost(services =>
        {
            services.AddNativeThreadPool();
            services.AddNativeThreadPool("reports");
        });
        Assert.Same(host.Pool("reports"), host.Provider.GetRequiredKeyedService<IWorkScheduler>("reports"));
        Assert.Same(host.Pool("default"), host.Provider.GetRequiredKeyedService<IWorkScheduler>("default"));
        Assert.Same(host.Pool("default"), host.Provider.GetRequiredService<IWorkScheduler>());
    }

    [Fact]
    public async Task WorkScheduler_WithoutADefaultPool_IsOnlyThereByName()
    {
        await using var host = new TestHost(services => services.AddNativeThreadPool("reports"));
        Assert.Null(host.Provider.GetService<IWorkScheduler>());
        Assert.NotNull(host.Provider.GetKeyedService<IWorkScheduler>("reports"));
    }

    [Fact]
    public async Task Container_DisposesItsPools()
    {
        var host = new TestHost(services => services.AddNativeThreadPool("reports"));
        NativeThreadPool pool = host.Pool("reports");
        await host.DisposeAsync();
        Assert.Throws<ObjectDisposedException>(() => pool.QueueUserWorkItem(_ => { }));
    }

    [Fact]
    public void Builder_NamesThePoolAndTheServices()
    {
        var services = new ServiceCollection();
        INativeThreadPoolBuilder builder = services.AddNativeThreadPool("reports");
        Assert.Equal(("reports", "default"), (builder.Name, services.AddNativeThreadPool().Name));
        Assert.Same(services, builder.Services);
    }

    [Theory]
    [InlineData("reports", "reports")]
    [InlineData("reports", "Reports")] // one configuration section
    public void TwoPoolsWithOneName_AreRefused(string first, string second)
    {
        var services = new ServiceCollection();
        services.AddNativeThreadPool(first);
        services.AddEventLoopGroup(first); // of another kind
        var refused = Assert.Throws<InvalidOperationException>(() => services.AddNativeThreadPool(second));
        Assert.Contains("'reports'", refused.Message, StringComparison.Ordinal);
        Assert.Contains("NativeThreading:Pools:reports", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void TheDefaultPoolTwice_IsRefused()
    {
        var services = new ServiceCollection();
        services.AddNativeThreadPool();
        Assert.Throws<InvalidOperationException>(() => services.AddNativeThreadPool("default"));
    }

    [Theory]
    [InlineData("")]
    [InlineData(" ")]
    [InlineData("a:b")]
    public void NameThatCannotBeAKey_IsRefused(string unusable) =>
        Assert.Throws<ArgumentException>("name", () => new ServiceCollection().AddNativeThreadPool(unusable));

    [Fact]
    public void Nulls_AreRefused()
    {
        Assert.Throws<ArgumentNullException>("services", () => ((IServiceCollection)null!).AddNativeThreadPool("reports"));
        Assert.Throws<ArgumentNullException>("name", () => new ServiceCollection().AddNativeThreadPool((string)null!));
    }

    [Fact]
    public void WithoutHostAndConfiguration_APoolIsAServiceLikeAnyOther()
    {
        var services = new ServiceCollection();
        services.AddNativeThreadPool("reports", options => options.MaxThreads = 3);
        using ServiceProvider provider = services.BuildServiceProvider();
        Assert.Equal(3, provider.GetRequiredKeyedService<NativeThreadPool>("reports").MaxThreads);
    }

    private sealed class Reports([FromKeyedServices("reports")] NativeThreadPool pool)
    {
        public NativeThreadPool Pool => pool;
    }
}
