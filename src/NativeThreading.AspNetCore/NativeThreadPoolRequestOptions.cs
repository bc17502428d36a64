namespace NativeThreading.AspNetCore;

/// <summary>Sets how the application answers requests that a pool rejects. These are named options: the name is the pool's, and <c>ConfigureAll</c>
/// applies to every pool. Read once, when the application starts.</summary>
/// <example>
/// <code>
/// services.Configure&lt;NativeThreadPoolRequestOptions&gt;("reports", options =&gt; options.RetryAfter = TimeSpan.FromSeconds(5));
/// </code>
/// </example>
public sealed class NativeThreadPoolRequestOptions
{
    private TimeSpan _retryAfter = TimeSpan.FromSeconds(1);

    /// <summary>Gets or sets the value of the <c>Retry-After</c> header of a rejected request. The header has whole seconds, rounded up. Between 0
    /// and 1 day; 1 second by default.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative or above one day.</exception>
    public TimeSpan RetryAfter
    {
        get => _retryAfter;
        set
        {
            if (value < TimeSpan.Zero || value > TimeSpan.FromDays(1))
            {
                throw new ArgumentOutOfRangeException(nameof(RetryAfter), value, $"{nameof(RetryAfter)} must be between 0 and 1 day, but was {value}.");
            }

            _retryAfter = value;
        }
    }
}
