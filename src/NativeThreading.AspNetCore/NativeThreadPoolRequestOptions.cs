namespace NativeThreading.AspNetCore;

/// <summary>
/// How requests are answered that a pool does not take. Named options: the name is the pool's, and <c>ConfigureAll</c> reaches
/// every pool. Read once, when the application starts.
/// </summary>
public sealed class NativeThreadPoolRequestOptions
{
    private TimeSpan _retryAfter = TimeSpan.FromSeconds(1);

    /// <summary>
    /// What a refused request's <c>Retry-After</c> header says, in seconds, rounded up. 0 to 1 day; 1 second by default.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative or above one day.</exception>
    public TimeSpan RetryAfter
    {
        get => _retryAfter;
        set
        {
            if (value < TimeSpan.Zero || value > TimeSpan.FromDays(1))
            {
                throw new ArgumentOutOfRangeException(nameof(RetryAfter), value, $"{nameof(RetryAfter)} must be 0 to 1 day.");
            }

            _retryAfter = value;
        }
    }
}
