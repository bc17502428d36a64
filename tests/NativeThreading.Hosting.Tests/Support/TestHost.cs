using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace NativeThreading.Hosting.Tests.Support;

/// <summary>A host with nothing in it but what a test adds, a configuration in memory and a log that can be read.</summary>
internal sealed class TestHost : IAsyncDisposable
{
    private readonly HostApplicationBuilder _builder = Host.CreateEmptyApplicationBuilder(null);
    private readonly ChangeableConfiguration _configuration = new();
    private IHost? _host;

    public TestHost(Action<IServiceCollection>? add = null, params (string Key, string? Value)[] configuration)
    {
        foreach ((string key, string? value) in configuration)
        {
            _configuration.Set(key, value);
        }

        ((IConfigurationBuilder)_builder.Configuration).Add(_configuration);
        _builder.Logging.AddProvider(Log).SetMinimumLevel(LogLevel.Trace);
        add?.Invoke(Services);
    }

    public LogRecords Log { get; } = new();

    public IServiceCollection Services => _builder.Services;

    public IServiceProvider Provider => (_host ??= _builder.Build()).Services;

    public NativeThreadPool Pool(string name) => Provider.GetRequiredKeyedService<NativeThreadPool>(name);

    public void Configure(Action<HostOptions> configure) => Services.Configure(configure);

    /// <summary>Changes the configuration and notifies its watchers.</summary>
    public void Change(string key, string? value)
    {
        _configuration.Set(key, value);
        ((IConfigurationRoot)_builder.Configuration).Reload();
    }

    public async Task<TestHost> StartAsync()
    {
        _ = Provider;
        await Deadline.For(_host!.StartAsync(), "start of the host");
        return this;
    }

    public Task StopAsync() => StopWithinAsync(CancellationToken.None);

    /// <summary>Stops with less time than the options give.</summary>
    public Task StopWithinAsync(CancellationToken cancellationToken) => Deadline.For(_host!.StopAsync(cancellationToken), "stop of the host");

    public async ValueTask DisposeAsync()
    {
        if (_host is IAsyncDisposable host)
        {
            await Deadline.For(host.DisposeAsync().AsTask(), "end of the host");
        }
    }
}
