using System.ComponentModel.DataAnnotations;
using NativeThreading.AspNetCore;

namespace NativeThreading.Kestrel;

/// <summary>Options of the Kestrel transport on event loops. Read once, when the first endpoint is bound.</summary>
/// <example>
/// <code>
/// builder.WebHost.UseNativeTransport(options =&gt; options.LoopCount = 1);
/// </code>
/// </example>
public sealed class NativeTransportOptions
{
    /// <summary>Gets or sets the number of loops that share the connections. Between 1 and <see cref="EventLoopGroup.LoopLimit"/>; one per two
    /// processors by default, and at least one.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is not between 1 and <see cref="EventLoopGroup.LoopLimit"/>.</exception>
    public int LoopCount
    {
        get;
        set => field = Checked(value, 1, EventLoopGroup.LoopLimit, nameof(LoopCount));
    } = Math.Clamp(Environment.ProcessorCount / 2, 1, EventLoopGroup.LoopLimit);

    /// <summary>Gets or sets where requests run; <see cref="NativeTransportRequests.Adaptive"/> by default.</summary>
    /// <remarks>
    /// <para>Kestrel starts each connection and each stream of HTTP/2 on the built-in thread pool, with every transport. So requests of HTTP/2 run
    /// there, and a connection moves there when HTTP/2 is recognized, except with <see cref="NativeTransportRequests.Pool"/>.</para>
    /// <para>If a handler blocks on a loop, only its own connection waits: within milliseconds another thread takes the loop
    /// over, as with <see cref="EventLoopOptions.HandsOverWhenBlocked"/>. The same happens if a handler has computed for 10 ms of processor
    /// time. With <see cref="NativeTransportRequests.Adaptive"/> the endpoint moves to the pool after the first such call, or when shorter calls
    /// have used more than 20 ms of a second of their loop. With <see cref="NativeTransportRequests.Loops"/> it needs
    /// <c>RunOnNativeThreadPool</c>. Awaits of handlers resume on the loop. When the server is disposed, a handler that still blocks gets two
    /// seconds; then it is abandoned, and a warning is logged.</para>
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is not defined by the enumeration.</exception>
    public NativeTransportRequests Requests
    {
        get;
        set => field = Enum.IsDefined(value)
            ? value
            : throw new ArgumentOutOfRangeException(nameof(Requests), value, $"{nameof(Requests)} must be a value of {nameof(NativeTransportRequests)}, but was {value}.");
    }

    /// <summary>Gets or sets the name under which a <see cref="NativeThreadPool"/> is registered; <see langword="null"/> by default. With <see
    /// cref="NativeTransportRequests.Pool"/>, which requires a name, all requests run on that pool. With <see
    /// cref="NativeTransportRequests.Adaptive"/>, requests of endpoints that are not proven short run there; without a name the transport creates its
    /// own pool for them. The name cannot be combined with the other two values.</summary>
    /// <remarks>With <see cref="NativeTransportRequests.Pool"/>, HTTP/1 requests and connection handlers start on that pool, including limits and
    /// middleware. TLS awaits without a context, so code after it runs on either pool.</remarks>
    /// <exception cref="ArgumentException">The name is empty or white space.</exception>
    public string? PoolName
    {
        get;
        set
        {
            if (value is not null)
            {
                ArgumentException.ThrowIfNullOrWhiteSpace(value, nameof(PoolName));
            }

            field = value;
        }
    }

    /// <summary>Gets the options of the transport's own pool, on which requests run that are not proven short. It is used with <see
    /// cref="NativeTransportRequests.Adaptive"/> if <see cref="PoolName"/> is <see langword="null"/>. Its name is <c>kestrel</c> by
    /// default.</summary>
    /// <remarks>Beyond <see cref="NativeThreadPoolOptions.QueueLimit"/> new requests are answered with 503, whatever
    /// <see cref="NativeThreadPoolOptions.QueueFullMode"/> says. Code that continues in the pool is never rejected.</remarks>
    public NativeThreadPoolOptions DefaultPool { get; } = new() { Name = "kestrel" };

    /// <summary>Gets or sets a value that says whether a new request is answered with 503 and <c>Retry-After</c> while the transport's own pool (<see
    /// cref="DefaultPool"/>) is at its limit of blocked threads and an item has waited in it for a second, or while its queue is full. <see
    /// langword="true"/> by default. <see langword="false"/>: such requests wait.</summary>
    /// <remarks>Requests of endpoints that run on the loops, or on a named pool, are never rejected in this way. The header is that of
    /// <see cref="NativeThreadPoolRequestOptions.RetryAfter"/> for the pool's name.</remarks>
    public bool RejectsAtTheLimit { get; set; } = true;

    /// <summary>Gets or sets how many connections the system holds before they are accepted. 1 or more; 512 by default.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is below 1.</exception>
    public int Backlog
    {
        get;
        set => field = Checked(value, 1, int.MaxValue, nameof(Backlog));
    } = 512;

    /// <summary>Gets or sets whether small writes are sent at once, without waiting for more (TCP_NODELAY); <see langword="true"/> by default.</summary>
    public bool NoDelay { get; set; } = true;

    /// <summary>Gets or sets how many unread bytes a connection buffers before its loop stops reading; 1 MiB by default. <see langword="null"/> or 0
    /// means no limit.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    public long? MaxReadBufferSize
    {
        get;
        set => field = CheckedSize(value, nameof(MaxReadBufferSize));
    } = 1024 * 1024;

    /// <summary>Gets or sets how many unsent bytes a connection buffers before a flush of the application waits; 64 KiB by default. <see
    /// langword="null"/> or 0 means no limit.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    public long? MaxWriteBufferSize
    {
        get;
        set => field = CheckedSize(value, nameof(MaxWriteBufferSize));
    } = 64 * 1024;

    /// <summary>Whether code of the application may run on event loops.</summary>
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

        // The pool's options read nothing of the context. The constructor of one that trimming accepts does not exist on .NET 9.
        foreach (ValidationResult error in ((IValidatableObject)DefaultPool).Validate(null!))
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

/// <summary>The threads that run the requests of connections that the native transport carries.</summary>
public enum NativeTransportRequests
{
    /// <summary>The default: the transport measures each endpoint. An endpoint starts on a pool, moves to the loop of its connection when it has
    /// proved short, and returns to the pool when it blocks or computes. An endpoint whose awaits complete singly on the built-in pool, such as those
    /// of a database, continues there. The transport measures all code outside of endpoints as one unit.</summary>
    Adaptive,

    /// <summary>On the loop of their connection, always.</summary>
    Loops,

    /// <summary>On the pool that <see cref="NativeTransportOptions.PoolName"/> names.</summary>
    Pool,

    /// <summary>On the built-in pool, as with Kestrel's own sockets.</summary>
    RuntimePool,
}

/// <summary>On the native transport, runs an action, a controller's actions or a route handler on the loop of its connection, always:
/// <c>[Inline]</c>.</summary>
/// <remarks>It has an effect with <see cref="NativeTransportRequests.Adaptive"/>, which otherwise starts each endpoint on a pool, and moves endpoints
/// that block or compute back to it. The transport does not measure an endpoint with this attribute: the application promises that the handler is
/// short. If the handler blocks, another thread takes the loop over, as with any code on a loop. If it computes, all connections of its loop wait.
/// <c>RunOnNativeThreadPool</c> takes precedence.</remarks>
/// <example>
/// <code>
/// app.MapGet("/health", [Inline] () =&gt; "ok");
/// </code>
/// </example>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method)]
public sealed class InlineAttribute : Attribute;
