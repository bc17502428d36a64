using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace NativeThreading.AspNetCore;

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
