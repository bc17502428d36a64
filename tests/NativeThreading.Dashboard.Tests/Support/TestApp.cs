using System.Text.Json;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using NativeThreading.Dashboard.Sampling;
using NativeThreading.Testing;
using NativeThreading.Tests.Support;

namespace NativeThreading.Dashboard.Tests.Support;

/// <summary>An application in memory, whose clock the test moves, with a policy "Ops" for the role "ops".</summary>
internal sealed class TestApp : IAsyncDisposable
{
    public static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    private readonly WebApplication _app;
    private readonly Records _records;
    private readonly ManualThreadPool _time;

    private TestApp(WebApplication app, Records records, ManualThreadPool time)
    {
        (_app, _records, _time, Client) = (app, records, time, app.GetTestClient());
        Client.Timeout = Timeout.InfiniteTimeSpan; // Deadline ends each wait
    }

    public HttpClient Client { get; }

    /// <summary>Timers that are armed.</summary>
    public int TimerCount => _time.Clock.ActiveTimerCount;

    public (int Id, LogLevel Level, string Text)[] Logged => _records.All;

    public Sampler Sampler => Samplers.Of(_app.Services);

    /// <summary>In Development, with the page at its default place.</summary>
    public static Task<TestApp> StartAsync(Action<DashboardOptions>? options = null) =>
        StartAsync(Environments.Development, app => app.MapNativeThreading(configure: mapped =>
        {
            NoHistory(mapped);
            options?.Invoke(mapped);
        }));

    /// <summary>Samples are taken for viewers alone, so that a test can count them.</summary>
    public static void NoHistory(DashboardOptions options) => options.History = TimeSpan.Zero;

    /// <param name="environment">The name of the environment.</param>
    /// <param name="configure">Maps the page.</param>
    /// <param name="services">Adds services to those of this application.</param>
    /// <param name="hasAuthorization">Whether the application has authentication and authorization.</param>
    public static async Task<TestApp> StartAsync(
        string environment, Action<WebApplication> configure, Action<IServiceCollection>? services = null, bool hasAuthorization = true)
    {
        var records = new Records();
        var pool = new ManualThreadPool();
        WebApplicationBuilder builder = WebApplication.CreateBuilder(new WebApplicationOptions { EnvironmentName = environment, ApplicationName = "NativeThreading.Dashboard.Tests" });
        builder.Logging.ClearProviders().AddProvider(records);
        builder.WebHost.UseTestServer();
        builder.Services.AddSingleton<TimeProvider>(pool.Clock);
        if (hasAuthorization)
        {
            builder.Services.AddAuthentication(HeaderAuthentication.Name).AddScheme<AuthenticationSchemeOptions, HeaderAuthentication>(HeaderAuthentication.Name, null);
            builder.Services.AddAuthorizationBuilder().AddPolicy("Ops", static policy => policy.RequireRole("ops"));
        }

        services?.Invoke(builder.Services);
        WebApplication app = builder.Build();
        try
        {
            configure(app);
            await Deadline.For(app.StartAsync(), "start of the application");
            return new TestApp(app, records, pool);
        }
        catch
        {
            await app.DisposeAsync();
            throw;
        }
    }

    /// <summary>Moves the clock on, and runs on the caller what becomes due.</summary>
    public void Pass(TimeSpan time) => _time.RunFor(time);

    public Task<HttpResponseMessage> SendAsync(HttpMethod method, string path, params (string Name, string Value)[] headers)
    {
        var request = new HttpRequestMessage(method, path);
        Array.ForEach(headers, header => request.Headers.Add(header.Name, header.Value));
        return Deadline.For(Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead), $"{method} {path}");
    }

    public Task<HttpResponseMessage> GetAsync(string path, params (string Name, string Value)[] headers) => SendAsync(HttpMethod.Get, path, headers);

    public async Task<JsonElement> SnapshotAsync()
    {
        using HttpResponseMessage response = await GetAsync("/threads/api/v1/snapshot");
        return JsonElement.Parse(await Deadline.For(response.Content.ReadAsByteArrayAsync()));
    }

    public async Task<SampleStream> OpenStreamAsync()
    {
        HttpResponseMessage response = await GetAsync("/threads/api/v1/stream");
        return new SampleStream(response, await Deadline.For(response.Content.ReadAsStreamAsync()));
    }

    public Task StopAsync() => Deadline.For(_app.StopAsync(), "stop of the application");

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await StopAsync();
        await Deadline.For(_app.DisposeAsync().AsTask(), "disposal of the application");
    }
}
