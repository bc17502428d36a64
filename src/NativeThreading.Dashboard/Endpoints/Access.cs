using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace NativeThreading.Dashboard.Endpoints;

/// <summary>Who may see the page where nobody has said so: in Development everybody, elsewhere nobody.</summary>
internal static class Access
{
    /// <summary>Whether somebody has decided who may use an endpoint. Authorization itself is done before the endpoint runs.</summary>
    public static bool IsDecided(EndpointMetadataCollection metadata) =>
        metadata.GetMetadata<IAuthorizeData>() is not null
        || metadata.GetMetadata<AuthorizationPolicy>() is not null
        || metadata.GetMetadata<IAllowAnonymous>() is not null;

    /// <summary>Answers with 404 where nobody has decided, outside Development.</summary>
    public static RequestDelegate Guard(RequestDelegate next, IHostEnvironment environment) => context =>
    {
        if (environment.IsDevelopment() || (context.GetEndpoint() is { } endpoint && IsDecided(endpoint.Metadata)))
        {
            return next(context);
        }

        context.Response.StatusCode = StatusCodes.Status404NotFound;
        return Task.CompletedTask;
    };

    /// <summary>Says at the start, once for each mapping, where nobody has decided. Endpoints are complete then: groups around the mapping
    /// may have decided too.</summary>
    public static void TellAtStart(IServiceProvider services, DashboardMetadata mapping) =>
        services.GetService<IHostApplicationLifetime>()?.ApplicationStarted.Register(() => Tell(services, mapping));

    private static void Tell(IServiceProvider services, DashboardMetadata mapping)
    {
        bool isOpen = services.GetRequiredService<EndpointDataSource>().Endpoints
            .Any(endpoint => endpoint.Metadata.GetMetadata<DashboardMetadata>() == mapping && !IsDecided(endpoint.Metadata));
        if (!isOpen)
        {
            return;
        }

        ILogger logger = services.GetRequiredService<ILoggerFactory>().CreateLogger(Log.Category);
        if (services.GetRequiredService<IHostEnvironment>().IsDevelopment())
        {
            Log.OpenInDevelopment(logger, mapping.Pattern);
        }
        else
        {
            Log.NotServed(logger, mapping.Pattern);
        }
    }
}
