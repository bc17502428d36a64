using System.Runtime.CompilerServices;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace NativeThreading.Dashboard.Sampling;

/// <summary>The sampler of each application: one, however often the page is mapped.</summary>
internal static class Samplers
{
    private static readonly ConditionalWeakTable<IServiceProvider, Sampler> s_samplers = [];

    public static Sampler Of(IServiceProvider services) => s_samplers.GetValue(services, services => new Sampler(
        services.GetRequiredService<IHostEnvironment>().ApplicationName,
        services.GetService<TimeProvider>() ?? TimeProvider.System,
        services.GetRequiredService<ILoggerFactory>().CreateLogger(Log.Category)));
}
