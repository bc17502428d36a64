namespace NativeThreading.AspNetCore;

/// <summary>How Kestrel's connections are carried by event loops. Read once, when the first endpoint is bound.</summary>
public sealed class NativeTransportOptions
{
    /// <summary>How many loops share the connections. By default one for two processors, and at least one.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is not 1 to <see cref="EventLoopGroup.LoopLimit"/>.</exception>
    public int LoopCount
    {
        get;
        set => field = Checked(value, 1, EventLoopGroup.LoopLimit, nameof(LoopCount));
    } = Math.Clamp(Environment.ProcessorCount / 2, 1, EventLoopGroup.LoopLimit);

    /// <summary>
    /// The name of the <see cref="NativeThreadPool"/> on which applications run, as it was registered; <see langword="null"/>, the
    /// default, for the runtime's pool. Not together with <see cref="RunsOnLoops"/>.
    /// </summary>
    /// <remarks>
    /// HTTP/1 requests and connection handlers begin on that pool, with what precedes a request: limits, middleware. Kestrel begins each
    /// connection and each stream of HTTP/2 on the runtime's pool, whatever the transport: requests of HTTP/2 run there. TLS awaits
    /// without a context, so what is behind it runs on either pool.
    /// </remarks>
    /// <exception cref="ArgumentException">The name is empty or white space.</exception>
    public string? PoolName
    {
        get;
        set => field = value is null ? null : PoolNames.Checked(value, nameof(PoolName));
    }

    /// <summary>
    /// Whether applications run on the loop that carries their connection, which costs least where handlers are short;
    /// <see langword="false"/> by default. Not together with <see cref="PoolName"/>.
    /// </summary>
    /// <remarks>
    /// A handler that blocks keeps its connection waiting and no other: within milliseconds another thread takes the loop over, as
    /// <see cref="EventLoopOptions.HandsOverWhenBlocked"/> says. A handler that computes does hold up all connections of its loop for
    /// as long. So slow endpoints need <c>RunOnNativeThreadPool</c>. What handlers await comes back to the loop. The
    /// disposal of the server gives a handler that still blocks two seconds, and then leaves it behind and logs a warning.
    /// </remarks>
    public bool RunsOnLoops { get; set; }

    /// <summary>How many connections the system holds that were not accepted yet; 512 by default.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is below 1.</exception>
    public int Backlog
    {
        get;
        set => field = Checked(value, 1, int.MaxValue, nameof(Backlog));
    } = 512;

    /// <summary>Whether small writes leave at once, without waiting for others (TCP_NODELAY); <see langword="true"/> by default.</summary>
    public bool NoDelay { get; set; } = true;

    /// <summary>
    /// How many bytes that the application has not consumed a connection holds before its loop stops to read: 1 MiB by default.
    /// <see langword="null"/> or 0: without a limit.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    public long? MaxReadBufferSize
    {
        get;
        set => field = CheckedSize(value, nameof(MaxReadBufferSize));
    } = 1024 * 1024;

    /// <summary>
    /// How many bytes that the peer has not taken a connection holds before a flush of the application waits: 64 KiB by default.
    /// <see langword="null"/> or 0: without a limit.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    public long? MaxWriteBufferSize
    {
        get;
        set => field = CheckedSize(value, nameof(MaxWriteBufferSize));
    } = 64 * 1024;

    private static int Checked(int value, int least, int most, string name) => value >= least && value <= most
        ? value
        : throw new ArgumentOutOfRangeException(name, value, $"{name} must be {least} to {most}.");

    private static long? CheckedSize(long? value, string name) => value is not < 0
        ? value
        : throw new ArgumentOutOfRangeException(name, value, $"{name} must not be negative.");
}
