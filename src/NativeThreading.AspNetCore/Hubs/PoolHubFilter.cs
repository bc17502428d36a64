using System.Collections.Concurrent;
using System.Reflection;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.SignalR;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using NativeThreading.Diagnostics;

namespace NativeThreading.AspNetCore;

/// <summary>Runs the calls of a hub on the pool of its method or of its endpoint. A connection is one request. SignalR itself moves it to the
/// built-in pool, and on a NativeThreading pool it would count as open while the connection lives (T147). So only calls move to the pool.</summary>
/// <remarks>The order of calls stays as SignalR makes it: of one connection at most MaximumParallelInvocationsPerClient calls are open, and a call
/// completes here when it has completed on the pool.</remarks>
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

        // Never rejected, because it is the counterpart of OnConnectedAsync.
        async Task DisconnectAsync(NativeThreadPool pool)
        {
            await pool.SwitchTo();
            await next(context, exception).ConfigureAwait(true);
        }
    }

    private static async ValueTask<object?> InvokeAsync(
        HubPool pool, HubInvocationContext context, Func<HubInvocationContext, ValueTask<object?>> next)
    {
        return await pool.RunAsync(OnPoolAsync, context.Context.ConnectionAborted).ConfigureAwait(true);

        async ValueTask<object?> OnPoolAsync()
        {
            SynchronizationContext here = SynchronizationContext.Current!;
            if (ThreadObserver.RecordsItem)
            {
                ThreadObserver.NoteName($"{context.Hub.GetType().Name}.{context.HubMethodName}", context.HubMethod);
            }

            return PoolStreams.OnPool(here, context.HubMethod, await next(context).ConfigureAwait(true));
        }
    }

    private string? PoolOf(MethodInfo method) =>
        _methods.GetOrAdd(method, static method => HubEndpoints.PoolOf(method));

    private static string? PoolOf(HubCallerContext context) =>
        context.GetHttpContext()?.GetEndpoint()?.Metadata.GetMetadata<INativeThreadPoolMetadata>()?.PoolName;

    private HubPool PoolNamed(string poolName) =>
        _pools.GetOrAdd(poolName, static (poolName, services) => new HubPool(services, poolName, "A hub"), services);
}

/// <summary>Adds the filter to all hubs.</summary>
internal sealed class PoolHubOptions(PoolHubFilter filter) : IConfigureOptions<HubOptions>
{
    /// <summary>Inserted before all other options. The first filter is the outermost, so the filters of the application run on the pool.</summary>
    public static void AddTo(IServiceCollection services)
    {
        if (services.All(static service => service.IsKeyedService || service.ImplementationType != typeof(PoolHubOptions)))
        {
            services.Insert(0, ServiceDescriptor.Singleton<IConfigureOptions<HubOptions>, PoolHubOptions>());
            services.AddSingleton<PoolHubFilter>();
        }
    }

    public void Configure(HubOptions options) => options.AddFilter(filter);
}
