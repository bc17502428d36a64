using System.Reflection;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc.Controllers;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using NativeThreading.Diagnostics;

namespace NativeThreading.AspNetCore;

/// <summary>Runs the rest of a request on a pool, or answers it where the pool does not take it.</summary>
internal sealed class PoolRequestDelegate(NativeThreadPool pool, RejectedRequests rejected, RequestDelegate next)
{
    public Task InvokeAsync(HttpContext context) =>
        // An endpoint of a pool in a branch of the same pool is on the pool already.
        pool.SwitchTo().GetAwaiter().IsCompleted ? next(context) : EnterAsync(context);

    private async Task EnterAsync(HttpContext context)
    {
        var request = new PoolRequest(context, next);
        CancellationToken cancellation = context.RequestAborted;
        try
        {
            if (await request.RunAsync(pool).ConfigureAwait(true))
            {
                return;
            }
        }
        catch (Exception exception) when (!request.HasStarted && !context.Response.HasStarted && PoolPassage.IsRejection(exception))
        {
            await rejected.AnswerAsync(context).ConfigureAwait(true);
            return;
        }

        if (!HasClientGone(context))
        {
            // A middleware's own token, as that of a time limit: it answers, as it does where an endpoint without a pool is cancelled.
            throw new OperationCanceledException("The request was cancelled before a thread of its pool began it.", cancellation);
        }

        if (!context.Response.HasStarted)
        {
            context.Response.StatusCode = StatusCodes.Status499ClientClosedRequest; // only logs and metrics read it
        }
    }

    /// <summary>Whether the connection is closed. <see cref="HttpContext.RequestAborted"/> does not show it, because middleware may replace that
    /// token. A single HTTP/2 stream that the client cancels cannot be distinguished from a cancellation by middleware.</summary>
    private static bool HasClientGone(HttpContext context) =>
        context.Features.Get<IConnectionLifetimeFeature>() is { ConnectionClosed.IsCancellationRequested: true };
}

/// <summary>One request on its way through the queue of a pool.</summary>
internal sealed class PoolRequest(HttpContext context, RequestDelegate next) : PoolPassage
{
    private HttpContext? _context = context;

    /// <inheritdoc cref="PoolPassage.RunAsync"/>
    public Task<bool> RunAsync(NativeThreadPool pool) => RunAsync(pool, _context!.RequestAborted);

    protected override Task InvokeAsync()
    {
        HttpContext context = _context!;
        EndpointName.Note(context);

        return next(context);
    }

    protected override void Forget() => _context = null;
}

/// <summary>The name by which users know a request: what an observer reports.</summary>
internal static class EndpointName
{
    /// <summary>Names the running item, if an observer records it: <c>GET /report</c> by the route pattern, otherwise the display name of the endpoint,
    /// and in a branch without an endpoint its path. Never the path of the request, which may contain data of users.</summary>
    public static void Note(HttpContext context)
    {
        if (!ThreadObserver.RecordsItem)
        {
            return;
        }

        Endpoint? endpoint = context.GetEndpoint();
        string? name = endpoint is RouteEndpoint { RoutePattern.RawText: { } pattern } ? $"{context.Request.Method} {(pattern is ['/', ..] ? "" : "/")}{pattern}"
            : endpoint?.DisplayName ?? context.Request.PathBase.Value;
        if (!string.IsNullOrEmpty(name))
        {
            EndpointMetadataCollection? metadata = endpoint?.Metadata;
            ThreadObserver.NoteName(name, metadata?.GetMetadata<ControllerActionDescriptor>()?.MethodInfo ?? metadata?.GetMetadata<MethodInfo>());
        }
    }
}

/// <summary>Puts a pool in front of a request delegate. Throws at startup if the pool is unknown.</summary>
internal static class PoolRequests
{
    /// <param name="services">The application's services.</param>
    /// <param name="poolName">The key of the pool.</param>
    /// <param name="next">The delegate that runs on the pool.</param>
    /// <param name="user">The name of the endpoint or method, for the message.</param>
    public static RequestDelegate On(IServiceProvider services, string poolName, RequestDelegate next, string user)
    {
        NativeThreadPool pool = Pool(services, poolName, user);
        NativeThreadPoolRequestOptions options = services.GetService<IOptionsMonitor<NativeThreadPoolRequestOptions>>()?.Get(poolName) ?? new();
        return new PoolRequestDelegate(pool, new RejectedRequests(Rejections(services).Of(poolName).RequestRejected, options), next).InvokeAsync;
    }

    /// <summary>The logs that the application has registered; new ones if AddNativeThreadPoolEndpoints was not called.</summary>
    private static RejectionLogs Rejections(IServiceProvider services) =>
        services.GetService<RejectionLogs>() ?? ActivatorUtilities.CreateInstance<RejectionLogs>(services);

    /// <exception cref="InvalidOperationException">No pool is registered under that name.</exception>
    public static NativeThreadPool Pool(IServiceProvider services, string poolName, string user) =>
        services.GetKeyedService<NativeThreadPool>(poolName) ?? throw new InvalidOperationException(
            $"{user} runs on pool '{poolName}', but no pool with that name is registered. Call services.AddNativeThreadPool(\"{poolName}\").");
}
