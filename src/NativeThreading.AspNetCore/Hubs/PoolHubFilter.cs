using System.Collections.Concurrent;
using System.Reflection;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.SignalR;

namespace NativeThreading.AspNetCore;

/// <summary>
/// Runs what a hub does on the pool of its method or its endpoint. A connection is one request, which SignalR itself takes
/// to the runtime's pool, and which would count as work of the pool for as long as it lives (T147): so each call is put on
/// the pool, and the request is left alone.
/// </summary>
/// <remarks>
/// The order of calls is SignalR's: it does not begin more of a connection's than MaximumParallelInvocationsPerClient says
/// before earlier ones have completed, and they complete here when they have completed on the pool.
/// </remarks>
internal sealed class PoolHubFilter(IServiceProvider services) : IHubFilter
{
    private readonly ConcurrentDictionary<string, HubPool> _pools = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<MethodInfo, string?> _methods = new();

    public ValueTask<object?> InvokeMethodAsync(HubInvocationContext invocationContext, Func<HubInvocationContext, ValueTask<object?>> next) =>
        (PoolOf(invocationContext.HubMethod) ?? PoolOf(invocationContext.Context)) is { } poolName
            ? InvokeAsync(PoolNamed(poolName), invocationContext, next)
            : next(invocationContext);

    public Task OnConnectedAsync(HubLifetimeContext context, Func<HubLifetimeContext, Task> next) =>
        PoolOf(context.Context) is { } poolName
            ? PoolNamed(poolName).ConnectAsync(() => next(context), context.Context.ConnectionAborted)
            : next(context);

    public Task OnDisconnectedAsync(HubLifetimeContext context, Exception? exception, Func<HubLifetimeContext, Exception?, Task> next)
    {
        return PoolOf(context.Context) is { } poolName ? DisconnectAsync(PoolNamed(poolName).Pool) : next(context, exception);

        // Never refused, for it ends what OnConnectedAsync began.
        async Task DisconnectAsync(NativeThreadPool pool)
        {
            await pool.SwitchTo();
            await next(context, exception).ConfigureAwait(true);
        }
    }

    private static async ValueTask<object?> InvokeAsync(
        HubPool pool, HubInvocationContext context, Func<HubInvocationContext, ValueTask<object?>> next)
    {
        object? result = await pool.RunAsync(() => next(context), context.Context.ConnectionAborted).ConfigureAwait(true);
        return PoolStreams.OnPool(pool.Pool, context.HubMethod, result);
    }

    private string? PoolOf(MethodInfo method) =>
        _methods.GetOrAdd(method, static method => HubEndpoints.PoolOf(method));

    private static string? PoolOf(HubCallerContext context) =>
        context.GetHttpContext()?.GetEndpoint()?.Metadata.GetMetadata<INativeThreadPoolMetadata>()?.PoolName;

    private HubPool PoolNamed(string poolName) =>
        _pools.GetOrAdd(poolName, static (poolName, services) => new HubPool(services, poolName, "A hub"), services);
}
