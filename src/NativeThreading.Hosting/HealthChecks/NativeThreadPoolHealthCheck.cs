using System.Globalization;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace NativeThreading.Hosting;

/// <summary>Reports whether a pool makes progress.</summary>
internal sealed class NativeThreadPoolHealthCheck(NativeThreadPool pool, NativeThreadPoolHealthCheckOptions options, PoolConditions conditions) : IHealthCheck
{
    /// <inheritdoc/>
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(context);
        TimeSpan age = pool.OldestWorkItemAge;
        TimeSpan blocked = pool.AllThreadsBlockedDuration;
        var data = new Dictionary<string, object>
        {
            ["pool"] = pool.Name,
            ["threads"] = pool.ThreadCount,
            ["maxThreads"] = pool.MaxThreads,
            ["blockedThreads"] = pool.BlockedThreadCount,
            ["pendingWorkItems"] = pool.PendingWorkItemCount,
            ["completedWorkItems"] = pool.CompletedWorkItemCount,
            ["oldestWorkItemAge"] = age,
            ["allThreadsBlockedFor"] = blocked,
            ["conditions"] = conditions.Verdicts.Where(verdict => verdict.Subject == pool.Name).SelectMany(static verdict => verdict.Conditions)
                .Select(static condition => condition.ToString()).ToArray(),
        };
        string? trouble =
            blocked > options.MaxBlockedDuration
                ? $"All threads of pool '{pool.Name}' have been blocked for {Seconds(blocked)}; the limit is {Seconds(options.MaxBlockedDuration)}."
            : age > options.MaxWorkItemAge
                ? $"The oldest item of pool '{pool.Name}' has waited for {Seconds(age)}; the limit is {Seconds(options.MaxWorkItemAge)}."
            : null;
        return Task.FromResult(trouble is null
            ? HealthCheckResult.Healthy($"Pool '{pool.Name}' is making progress.", data)
            : new HealthCheckResult(context.Registration.FailureStatus, trouble, data: data));
    }

    private static string Seconds(TimeSpan time) => string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.###} s");
}

/// <summary>The limits beyond which the health check reports a pool as degraded.</summary>
/// <example>
/// <code>
/// services.AddNativeThreadPool("mail").AddHealthCheck(limits =&gt; limits.MaxWorkItemAge = TimeSpan.FromSeconds(10));
/// </code>
/// </example>
public sealed class NativeThreadPoolHealthCheckOptions
{
    /// <summary>Gets or sets how long the oldest item may wait. Positive; 10 seconds by default.</summary>
    public TimeSpan MaxWorkItemAge { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>Gets or sets how long all threads may be blocked at the same time. Positive; 10 seconds by default.</summary>
    public TimeSpan MaxBlockedDuration { get; set; } = TimeSpan.FromSeconds(10);

    internal NativeThreadPoolHealthCheckOptions Validated()
    {
        ThrowUnlessPositive(nameof(MaxWorkItemAge), MaxWorkItemAge);
        ThrowUnlessPositive(nameof(MaxBlockedDuration), MaxBlockedDuration);
        return (NativeThreadPoolHealthCheckOptions)MemberwiseClone();
    }

    private static void ThrowUnlessPositive(string name, TimeSpan value)
    {
        if (value <= TimeSpan.Zero)
        {
            throw new ArgumentOutOfRangeException(name, value, $"{name} must be positive, but was {value}.");
        }
    }
}
