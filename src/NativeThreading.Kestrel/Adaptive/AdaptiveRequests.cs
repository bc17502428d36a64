using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace NativeThreading.Kestrel.Adaptive;

/// <summary>What an application has learned of its endpoints, and the pool of those that are not proven. One for each application.</summary>
internal sealed class AdaptiveRequests
{
    private readonly IOptions<NativeTransportOptions> _options;
    private readonly ILogger _logger;
    private readonly ConditionalWeakTable<Endpoint, LearnedUnit> _units = [];
    private readonly ConditionalWeakTable<LearnedUnit, object> _told = [];
    private readonly Lazy<OwnPool> _own;
    private readonly Counter<long>? _returns;
    private NativeThreadPool? _namedPool;
    private long _strictUntil; // in milliseconds

    public AdaptiveRequests(IServiceProvider services, IOptions<NativeTransportOptions> options, ILoggerFactory loggers)
    {
        (_options, _logger) = (options, loggers.CreateLogger(Log.Category));
        Outside = new LearnedUnit("code outside of endpoints", Returned, leastProof: LeastProof);
        _own = new Lazy<OwnPool>(() => new OwnPool(services, options.Value, _logger));
        _returns = services.GetService<IMeterFactory>()?.Create("NativeThreading").CreateCounter<long>(
            "native_threading.transport.returns", "{return}", "Number of times that an endpoint was moved from the event loops back to the pool.");
    }

    /// <summary>Whether the application is to run by what is learned of it.</summary>
    public bool IsUsed => _options.Value.Requests == NativeTransportRequests.Adaptive;

    /// <summary>All code that is no endpoint's: middleware, and applications without endpoints.</summary>
    public LearnedUnit Outside { get; }

    /// <summary>The type of the context that is current on the transport's loops; <see langword="null"/> before it carries anything.</summary>
    public Type? LoopContext { get; private set; }

    /// <summary>The pool of the transport's own, whether or not it is used.</summary>
    public OwnPool Own => _own.Value;

    /// <summary>Where code runs that is not proven. The first request that needs it makes it, unless it has a name.</summary>
    public NativeThreadPool Pool => _namedPool ?? Own.Pool;

    /// <summary>The context through which code comes back to <see cref="Pool"/>; <see langword="null"/> before the first came there.</summary>
    public SynchronizationContext? PoolContext { get; set; }

    /// <summary>Answers a request with 503 if the transport's own pool takes no further one; <see langword="null"/> if it does, or has a name.</summary>
    public Task? TryReject(HttpContext context) =>
        _namedPool is null && Own.Rejects() && !context.Response.HasStarted ? Own.RejectAsync(context) : null;

    /// <summary>The transport is about to carry connections.</summary>
    public void Begin(EventLoop loop, NativeThreadPool? named)
    {
        _namedPool = named;
        LoopContext = loop.SynchronizationContext.GetType();
    }

    /// <summary>The transport has ended.</summary>
    public Task EndAsync(CancellationToken cancellationToken) =>
        _own.IsValueCreated ? Own.EndAsync(cancellationToken) : Task.CompletedTask;

    /// <summary>What is known of an endpoint, also when routing is built anew.</summary>
    public LearnedUnit Of(Endpoint endpoint) => _units.GetValue(endpoint, endpoint => new LearnedUnit(endpoint.DisplayName ?? "an endpoint without a name", Returned, leastProof: LeastProof)
    {
        IsFixed = endpoint.Metadata.GetMetadata<InlineAttribute>() is not null,
    });

    /// <summary>
    /// After an endpoint that thirty short pieces had proven has held up a loop, thirty are no proof for the others either. One client could have each
    /// endpoint hold up a loop once.
    /// </summary>
    private int LeastProof() => Environment.TickCount64 < Volatile.Read(ref _strictUntil) ? Learning.ProofAfterReturn : Learning.ProofOfShort;

    private void Returned(LearnedUnit unit, Verdict verdict)
    {
        if (verdict == Verdict.HoldsUp)
        {
            Volatile.Write(ref _strictUntil, Environment.TickCount64 + Learning.Memory);
        }

        string reason = verdict is Verdict.Computes or Verdict.HoldsUp ? "computes" : "blocks";
        try
        {
            _returns?.Add(1, new("native_threading.transport.endpoint", unit.Name), new("native_threading.transport.reason", reason));
            if (_told.TryAdd(unit, unit))
            {
                Log.SentBackToPool(_logger, unit.Name, reason, Pool.Name);
            }
        }
        catch (Exception)
        {
            // A listener's or logger's error is none of the request's.
        }
    }
}
