using System.Reflection;
using Microsoft.Extensions.DependencyInjection;

namespace NativeThreading.Hosting;

/// <summary>
/// Registers the check of endpoints together with the pools. An unknown pool must end the application's start, not its first
/// request, and code that maps an endpoint cannot register services any more. So AddNativeThreadPool does.
/// </summary>
/// <remarks>
/// This package must not depend on ASP.NET Core, so the method is called by reflection. Trimming understands literal names
/// only.
/// </remarks>
internal static class WebIntegration
{
    private static readonly Func<IServiceCollection, IServiceCollection>? s_addEndpoints = Type
        .GetType("Microsoft.Extensions.DependencyInjection.NativeThreadPoolEndpointServiceCollectionExtensions, NativeThreading.AspNetCore")?
        .GetMethod("AddNativeThreadPoolEndpoints", BindingFlags.Public | BindingFlags.Static, [typeof(IServiceCollection)])?
        .CreateDelegate<Func<IServiceCollection, IServiceCollection>>();

    public static void AddTo(IServiceCollection services) => s_addEndpoints?.Invoke(services);
}
