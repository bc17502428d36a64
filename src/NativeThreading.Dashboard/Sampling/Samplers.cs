using System.Runtime.CompilerServices;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using NativeThreading.Hosting;

namespace NativeThreading.Dashboard.Sampling;

/// <summary>The sampler of each application: one, however often the page is mapped.</summary>
internal static class Samplers
{
    private static readonly ConditionalWeakTable<IServiceProvider, Sampler> s_samplers = [];

    public static Sampler Of(IServiceProvider services) => s_samplers.GetValue(services, static services =>
    {
        TimeProvider clock = services.GetService<TimeProvider>() ?? TimeProvider.System;
        var logs = services.GetRequiredService<ILoggerFactory>();
        var sampler = new Sampler(
            services.GetRequiredService<IHostEnvironment>().ApplicationName,
            clock,
            logs.CreateLogger(Log.Category),
            services.GetService<PoolConditions>() ?? new PoolConditions(Options.Create(new ConditionOptions()), logs.CreateLogger<PoolConditions>(), clock));
        services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping.Register(sampler.EndHistory);
        return sampler;
    });
}
