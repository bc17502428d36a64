using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace NativeThreading.Dashboard.Endpoints;

/// <summary>Decides who may see the page where the application has not decided: in Development every client, elsewhere none.</summary>
internal static class Access
{
    /// <summary>Set by the authorization middleware. Routing checks it, too, but only if an endpoint has <see cref="IAuthorizeData"/>.</summary>
    private const string IsChecked = "__AuthorizationMiddlewareWithEndpointInvoked";

    /// <summary>Whether the application has decided who may use an endpoint. The authorization middleware checks that before the endpoint runs.</summary>
    public static bool IsDecided(EndpointMetadataCollection metadata) => HasPolicy(metadata) || metadata.GetMetadata<IAllowAnonymous>() is not null;

    /// <summary>Answers with 404, whatever the method is, outside Development if the application has not decided, and anywhere if it has a policy
    /// that no middleware has checked. No answer may be stored.</summary>
    public static RequestDelegate Guard(RequestDelegate next, IHostEnvironment environment) => context =>
    {
        Headers.ForbidStoring(context.Response);
        EndpointMetadataCollection metadata = context.GetEndpoint()?.Metadata ?? EndpointMetadataCollection.Empty;
        bool isServed = metadata.GetMetadata<IAllowAnonymous>() is not null
            || (HasPolicy(metadata)
                ? metadata.GetMetadata<IAuthorizeData>() is not null || context.Items.ContainsKey(IsChecked)
                : environment.IsDevelopment());
        return isServed ? next(context) : NotFoundAsync(context);
    };

    /// <summary>For endpoints that do not exist for any client.</summary>
    public static Task NotFoundAsync(HttpContext context)
    {
        context.Response.StatusCode = StatusCodes.Status404NotFound;
        return Task.CompletedTask;
    }

    /// <summary>Fails the start if the page has a policy and the application cannot check policies. An application that maps the page in a group or
    /// in <c>UseEndpoints</c> builds no part of its pipeline for it: there the log says so, and the page is not served.</summary>
    public static void CheckAtStart(IEndpointRouteBuilder endpoints, EndpointDataSource mapped, DashboardMetadata mapping)
    {
        IServiceProvider services = endpoints.ServiceProvider;
        (endpoints as IApplicationBuilder)?.Use(next =>
        {
            // When the pipeline is built: the endpoints have all their metadata, and the server does not listen yet.
            return mapped.Endpoints.Any(endpoint => IsUncheckable(services, endpoint))
                ? throw new InvalidOperationException(
                    $"The page of threads at '{mapping.Pattern}' has an authorization policy, but the application has no authorization services that could check it. Call services.AddAuthorization().")
                : next;
        });
        services.GetService<IHostApplicationLifetime>()?.ApplicationStarted.Register(() => Tell(services, mapping));
    }

    private static bool HasPolicy(EndpointMetadataCollection metadata) =>
        metadata.GetMetadata<IAuthorizeData>() is not null || metadata.GetMetadata<AuthorizationPolicy>() is not null;

    private static bool IsUncheckable(IServiceProvider services, Endpoint endpoint) =>
        HasPolicy(endpoint.Metadata)
        && endpoint.Metadata.GetMetadata<IAllowAnonymous>() is null
        && services.GetService<IAuthorizationService>() is null;

    /// <summary>Once for each mapping. Endpoints are complete now: groups around the mapping may have decided, too.</summary>
    private static void Tell(IServiceProvider services, DashboardMetadata mapping)
    {
        Endpoint[] mapped = [.. services.GetRequiredService<EndpointDataSource>().Endpoints
            .Where(endpoint => endpoint.Metadata.GetMetadata<DashboardMetadata>() == mapping)];
        ILogger logger = services.GetRequiredService<ILoggerFactory>().CreateLogger(Log.Category);
        if (mapped.Any(endpoint => IsUncheckable(services, endpoint)))
        {
            Log.NotChecked(logger, mapping.Pattern);
        }

        if (mapped.All(static endpoint => IsDecided(endpoint.Metadata)))
        {
            return;
        }

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
