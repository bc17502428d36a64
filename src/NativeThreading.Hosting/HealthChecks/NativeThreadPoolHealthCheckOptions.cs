namespace NativeThreading.Hosting;

/// <summary>The limits beyond which the health check reports a pool as degraded.</summary>
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
