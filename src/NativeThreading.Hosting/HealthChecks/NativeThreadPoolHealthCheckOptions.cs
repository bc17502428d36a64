namespace NativeThreading.Hosting;

/// <summary>When a pool counts as in trouble.</summary>
public sealed class NativeThreadPoolHealthCheckOptions
{
    /// <summary>How long the oldest item may wait: positive; 10 seconds by default.</summary>
    public TimeSpan MaxWorkItemAge { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>How long every thread may be blocked at the same time: positive; 10 seconds by default.</summary>
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
            throw new ArgumentOutOfRangeException(name, value, $"{name} must be positive, but is {value}.");
        }
    }
}
