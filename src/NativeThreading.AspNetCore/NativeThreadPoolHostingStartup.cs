using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;

namespace NativeThreading.AspNetCore;

/// <summary>Calls <c>AddNativeThreadPoolEndpoints</c> when the application's host is built, so that endpoints on pools are checked at the start even
/// if the application added no pool. The package puts <c>[assembly: HostingStartup(typeof(NativeThreadPoolHostingStartup))]</c> into every
/// application that refers to it.</summary>
public sealed class NativeThreadPoolHostingStartup : IHostingStartup
{
    /// <summary>Called by the host.</summary>
    /// <param name="builder">The host's builder.</param>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    public void Configure(IWebHostBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.ConfigureServices(static services => services.AddNativeThreadPoolEndpoints());
    }
}
