using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using NativeThreading.AspNetCore;
using NativeThreading.Hosting;

namespace NativeThreading.Startup;

/// <summary>A small web application, up to the answer to its first request.</summary>
internal static class Web
{
    private const string Pool = "startup";
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(30);

    public static void Answer(bool onOwnPool)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        if (onOwnPool)
        {
            builder.Services.AddNativeThreadPool(Pool);
        }

        WebApplication application = builder.Build();
        IEndpointConventionBuilder endpoint = application.MapGet("/", static (HttpContext context) => context.Response.WriteAsync(
            NativeThreadPool.Current?.Name ?? ""));
        if (onOwnPool)
        {
            endpoint.RunOnNativeThreadPool(Pool);
        }

        application.StartAsync().Wait(s_deadline);
        using var client = new HttpClient { BaseAddress = new Uri(application.Urls.Single()), Timeout = s_deadline };
        string ran = client.GetStringAsync(new Uri("/", UriKind.Relative)).GetAwaiter().GetResult();
        if (ran != (onOwnPool ? Pool : ""))
        {
            throw new InvalidOperationException($"The request ran on '{ran}'.");
        }
    }
}
