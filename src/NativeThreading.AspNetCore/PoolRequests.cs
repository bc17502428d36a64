using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace NativeThreading.AspNetCore;

/// <summary>Puts a pool in front of a request delegate. Where the pool is unknown, this throws: at start-up.</summary>
internal static class PoolRequests
{
    /// <param name="services">Those of the application.</param>
    /// <param name="poolName">The key of the pool.</param>
    /// <param name="next">What runs on it.</param>
    /// <param name="user">Who wants it, for the message.</param>
    public static RequestDelegate On(IServiceProvider services, string poolName, RequestDelegate next, string user)
    {
        NativeThreadPool pool = Pool(services, poolName, user);
        NativeThreadPoolRequestOptions options = services.GetService<IOptionsMonitor<NativeThreadPoolRequestOptions>>()?.Get(poolName) ?? new();
        return new PoolRequestDelegate(pool, new RejectedRequests(Rejections(services).Of(poolName), options), next).InvokeAsync;
    }

    /// <summary>Those of the application, or some of its own where AddNativeThreadPoolEndpoints was not called.</summary>
    private static RejectionLogs Rejections(IServiceProvider services) =>
        services.GetService<RejectionLogs>() ?? ActivatorUtilities.CreateInstance<RejectionLogs>(services);

    /// <exception cref="InvalidOperationException">No pool is registered under that name.</exception>
    public static NativeThreadPool Pool(IServiceProvider services, string poolName, string user) =>
        services.GetKeyedService<NativeThreadPool>(poolName) ?? throw new InvalidOperationException(
            $"""{user} is to run on the native thread pool "{poolName}", but none is registered under that name: services.AddNativeThreadPool("{poolName}").""");
}
