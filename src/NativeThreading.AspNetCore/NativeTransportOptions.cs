using System.ComponentModel.DataAnnotations;

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

    /// <summary>Where requests run; <see cref="NativeTransportRequests.Adaptive"/> by default.</summary>
    /// <remarks>
    /// <para>Kestrel begins each connection and each stream of HTTP/2 on the runtime's pool, whatever the transport: requests of HTTP/2 run
    /// there, and so does the connection itself once it is known to speak it, unless it is <see cref="NativeTransportRequests.Pool"/>.</para>
    /// <para>On a loop, a handler that blocks keeps its connection waiting and no other: within milliseconds another thread takes the loop
    /// over, as <see cref="EventLoopOptions.HandsOverWhenBlocked"/> says. So does a handler that computes, once it has used 10 ms of processor
    /// time. With <see cref="NativeTransportRequests.Adaptive"/> an endpoint is sent to the pool after the first such call, or when shorter ones
    /// have used more than 20 ms of a second of their loop. With <see cref="NativeTransportRequests.Loops"/> it needs
    /// <c>RunOnNativeThreadPool</c>. What handlers await comes back to the loop. The
    /// disposal of the server gives a handler that still blocks two seconds, then leaves it behind and logs a warning.</para>
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is none of the four.</exception>
    public NativeTransportRequests Requests
    {
        get;
        set => field = Enum.IsDefined(value)
            ? value
            : throw new ArgumentOutOfRangeException(nameof(Requests), value, $"{nameof(Requests)} must be a value of {nameof(NativeTransportRequests)}, but was {value}.");
    }

    /// <summary>
    /// The name of a <see cref="NativeThreadPool"/>, as it was registered. With <see cref="NativeTransportRequests.Pool"/>, which needs it,
    /// all requests run there; with <see cref="NativeTransportRequests.Adaptive"/> those whose code is not proven short, which have a
    /// pool of the transport's own where this is <see langword="null"/>, the default. The other two do not go with it.
    /// </summary>
    /// <remarks>
    /// With <see cref="NativeTransportRequests.Pool"/>, HTTP/1 requests and connection handlers begin on that pool, with what precedes a
    /// request: limits, middleware. TLS awaits without a context, so what is behind it runs on either pool.
    /// </remarks>
    /// <exception cref="ArgumentException">The name is empty or white space.</exception>
    public string? PoolName
    {
        get;
        set => field = value is null ? null : PoolNames.Checked(value, nameof(PoolName));
    }

    /// <summary>
    /// Gets the options of the transport's own pool, on which requests run that are not proven short. It is used with
    /// <see cref="NativeTransportRequests.Adaptive"/> if <see cref="PoolName"/> is <see langword="null"/>. Its name is <c>kestrel</c> by default.
    /// </summary>
    /// <remarks>Beyond <see cref="NativeThreadPoolOptions.QueueLimit"/> new requests are answered with 503, whatever
    /// <see cref="NativeThreadPoolOptions.QueueFullMode"/> says. Code that continues in the pool is never rejected.</remarks>
    public NativeThreadPoolOptions DefaultPool { get; } = new() { Name = "kestrel" };

    /// <summary>
    /// Gets or sets a value that says whether a new request is answered with 503 and <c>Retry-After</c> while the transport's own pool
    /// (<see cref="DefaultPool"/>) is at its limit of blocked threads and something has waited in it for a second, or while
    /// its queue is full. <see langword="true"/> by default. <see langword="false"/>: such requests wait.
    /// </summary>
    /// <remarks>Requests of endpoints that run on the loops, or on a pool that has a name, are never answered so. The header is that of
    /// <see cref="NativeThreadPoolRequestOptions.RetryAfter"/> for the pool's name.</remarks>
    public bool RejectsAtTheLimit { get; set; } = true;

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

    /// <summary>Whether code of the application may run on loops.</summary>
    internal bool MayRunOnLoops => Requests is NativeTransportRequests.Adaptive or NativeTransportRequests.Loops;

    /// <exception cref="InvalidOperationException">Two options contradict each other.</exception>
    internal void Check()
    {
        if (Requests is NativeTransportRequests.Loops or NativeTransportRequests.RuntimePool && PoolName is not null)
        {
            throw new InvalidOperationException(
                $"{nameof(NativeTransportOptions)}: {nameof(PoolName)} ('{PoolName}') cannot be combined with {nameof(Requests)} = {Requests}. Clear {nameof(PoolName)}, or set {nameof(Requests)} to {nameof(NativeTransportRequests.Pool)} or {nameof(NativeTransportRequests.Adaptive)}.");
        }

        if (Requests == NativeTransportRequests.Pool && PoolName is null)
        {
            throw new InvalidOperationException(
                $"{nameof(NativeTransportOptions)}: {nameof(Requests)} = {Requests} requires a pool. Set {nameof(PoolName)}, or choose another value of {nameof(Requests)}.");
        }

        foreach (ValidationResult error in ((IValidatableObject)DefaultPool).Validate(new ValidationContext(DefaultPool, nameof(DefaultPool), serviceProvider: null, items: null)))
        {
            throw new InvalidOperationException($"{nameof(DefaultPool)} of the native transport: {error.ErrorMessage}");
        }
    }

    private static int Checked(int value, int least, int most, string name) => value >= least && value <= most
        ? value
        : throw new ArgumentOutOfRangeException(name, value, $"{name} must be between {least} and {most}, but was {value}.");

    private static long? CheckedSize(long? value, string name) => value is not < 0
        ? value
        : throw new ArgumentOutOfRangeException(name, value, $"{name} must be 0 or more, or null, but was {value}.");
}
