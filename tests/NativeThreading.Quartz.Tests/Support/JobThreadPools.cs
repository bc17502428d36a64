using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace NativeThreading.Quartz.Tests.Support;

/// <summary>What a scheduler sees of a pool, without a scheduler.</summary>
internal static class JobThreadPools
{
    public static JobThreadPool Create(NativeThreadPool pool, int maxConcurrency) => new(
        new ServiceCollection().AddKeyedSingleton("jobs", (_, _) => pool).BuildServiceProvider(),
        Options.Create(new NativeThreadPoolJobOptions { PoolName = "jobs", MaxConcurrency = maxConcurrency }),
        NullLoggerFactory.Instance);
}
