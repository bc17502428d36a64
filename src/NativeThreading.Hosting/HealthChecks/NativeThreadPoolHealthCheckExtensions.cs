using Microsoft.Extensions.Diagnostics.HealthChecks;
using NativeThreading;
using NativeThreading.Hosting;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds health checks to pools.</summary>
/// <example>
/// <code>
/// services.AddNativeThreadPool("mail").AddHealthCheck(limits =&gt; limits.MaxWorkItemAge = TimeSpan.FromSeconds(10));
/// </code>
/// </example>
public static class NativeThreadPoolHealthCheckExtensions
{
    /// <summary>Adds a health check for the pool: degraded while its oldest item has waited for too long, or while every thread of it has been
    /// blocked for too long. The result carries counts and times as data.</summary>
    /// <param name="builder">The pool.</param>
    /// <param name="configure">Sets the limits.</param>
    /// <param name="name">The check's name; <c>native-threading:{pool}</c> if null.</param>
    /// <param name="failureStatus">What the check reports beyond a limit; <see cref="HealthStatus.Degraded"/> if null.</param>
    /// <param name="tags">Tags to select checks by.</param>
    /// <returns>The builder.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">A limit is zero or negative; the message names it.</exception>
    public static INativeThreadPoolBuilder AddHealthCheck(
        this INativeThreadPoolBuilder builder,
        Action<NativeThreadPoolHealthCheckOptions>? configure = null,
        string? name = null,
        HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        var options = new NativeThreadPoolHealthCheckOptions();
        configure?.Invoke(options);
        NativeThreadPoolHealthCheckOptions limits = options.Validated();
        string pool = builder.Name;
        builder.Services.AddHealthChecks().Add(new HealthCheckRegistration(
            name ?? $"native-threading:{pool}",
            services => new NativeThreadPoolHealthCheck(services.GetRequiredKeyedService<NativeThreadPool>(pool), limits, services.GetRequiredService<PoolConditions>()),
            failureStatus ?? HealthStatus.Degraded,
            tags));
        return builder;
    }
}
