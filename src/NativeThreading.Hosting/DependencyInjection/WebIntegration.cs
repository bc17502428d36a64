using System.Reflection;
using Microsoft.Extensions.DependencyInjection;

namespace NativeThreading.Hosting;

/// <summary>
/// An endpoint that is mapped on a pool cannot reach the services any more, and an unknown pool is to end the start of the
/// application and not its first request. So the check is registered with the pools, by the one line that everybody writes.
/// </summary>
/// <remarks>This package must not depend on ASP.NET Core. The literal names are what trimming understands.</remarks>
internal static class WebIntegration
{
    private static readonly Func<IServiceCollection, IServiceCollection>? s_addEndpoints = Type
        .GetType("Microsoft.Extensions.DependencyInjection.NativeThreadPoolEndpointServiceCollectionExtensions, NativeThreading.AspNetCore")?
        .GetMethod("AddNativeThreadPoolEndpoints", BindingFlags.Public | BindingFlags.Static, [typeof(IServiceCollection)])?
        .CreateDelegate<Func<IServiceCollection, IServiceCollection>>();

    public static void AddTo(IServiceCollection services) => s_addEndpoints?.Invoke(services);
}
