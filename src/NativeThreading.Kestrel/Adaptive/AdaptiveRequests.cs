using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using NativeThreading.AspNetCore;
using NativeThreading.Hosting;

namespace NativeThreading.Kestrel.Adaptive;

/// <summary>The profiles of an application's endpoints, and the pool of the code that is not proven. One for each application. Without a named pool,
/// the transport creates its own when a request first needs it. While that pool is at its limit of blocked threads, and an item has waited in it for
/// a second, it takes no further requests: they would wait without bound.</summary>
internal sealed class AdaptiveRequests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_betweenLooks = TimeSpan.FromMilliseconds(100); // each asks every thread of the pool

    private readonly IOptions<NativeTransportOptions> _options;
    private readonly ILogger _logger;
    private readonly ConditionalWeakTable<Endpoint, EndpointProfile> _profiles = [];
    private readonly ConditionalWeakTable<EndpointProfile, object> _logged = [];
    private readonly Lazy<NativeThreadPool> _ownPool;
    private readonly Lazy<RejectedRequests> _rejected;
    private readonly WarningPace _rejections;
    private readonly Counter<long>? _returns;
    private NativeThreadPool? _namedPool;
    private long _nextLook, _strictUntil; // in milliseconds
    private bool _isOverdue;

    public AdaptiveRequests(IServiceProvider services, IOptions<NativeTransportOptions> options, ILoggerFactory loggers)
    {
        (_options, _logger) = (options, loggers.CreateLogger(Log.Category));
        Outside = NewProfile("code outside of endpoints", isFixed: false);
        _ownPool = new(() => new NativeThreadPool(options.Value.DefaultPool, services.GetService<IMeterFactory>()));
        _rejected = new(() => new RejectedRequests(
            LogRejection, services.GetService<IOptionsMonitor<NativeThreadPoolRequestOptions>>()?.Get(options.Value.DefaultPool.Name) ?? new()));
        _rejections = new WarningPace(services.GetService<TimeProvider>() ?? TimeProvider.System);
        _returns = services.GetService<IMeterFactory>()?.Create("NativeThreading").CreateCounter<long>(
            "native_threading.transport.returns", "{return}", "Number of times that an endpoint was moved from the event loops back to the pool.");
    }

    /// <summary>Whether the application is measured.</summary>
    public bool IsUsed => _options.Value.Requests == NativeTransportRequests.Adaptive;

    /// <summary>The profile of all code outside of endpoints: middleware, and applications without endpoints.</summary>
    public EndpointProfile Outside { get; }

    /// <summary>The type of the context that is current on the transport's loops; <see langword="null"/> before it carries connections.</summary>
    public Type? LoopContext { get; private set; }

    /// <summary>The pool of code that is not proven.</summary>
    public NativeThreadPool Pool => _namedPool ?? _ownPool.Value;

    /// <summary>The context through which code returns to <see cref="Pool"/>; <see langword="null"/> before any code has run there.</summary>
    public SynchronizationContext? PoolContext { get; set; }

    /// <summary>Answers a request with 503 if the transport's own pool takes no further one; otherwise <see langword="null"/>.</summary>
    public Task? TryReject(HttpContext context) =>
        _namedPool is null && _options.Value.RejectsAtTheLimit && IsAtItsLimit(Pool) && !context.Response.HasStarted
            ? _rejected.Value.AnswerAsync(context)
            : null;

    /// <summary>The transport is about to carry connections.</summary>
    public void Begin(EventLoop loop, NativeThreadPool? named)
    {
        _namedPool = named;
        LoopContext = loop.SynchronizationContext.GetType();
    }

    /// <summary>The transport has ended: shuts its own pool down, if a request has created it.</summary>
    public Task EndAsync(CancellationToken cancellationToken) =>
        _ownPool.IsValueCreated ? _ownPool.Value.ShutdownAsync(cancellationToken) : Task.CompletedTask;

    /// <summary>The profile of an endpoint. It stays the same when routing builds its tables again.</summary>
    public EndpointProfile Of(Endpoint endpoint) => _profiles.GetValue(endpoint, endpoint => NewProfile(
        endpoint.DisplayName ?? "an endpoint without a name", endpoint.Metadata.GetMetadata<InlineAttribute>() is not null));

    private EndpointProfile NewProfile(string name, bool isFixed) => new(name, Returned, LeastProof) { IsFixed = isFixed };

    /// <summary>After a proven endpoint has held up a loop, 30 short segments do not prove the others either. Otherwise one client could have each
    /// endpoint hold up a loop once.</summary>
    private int LeastProof() => Environment.TickCount64 < Volatile.Read(ref _strictUntil) ? Learning.ProofAfterReturn : Learning.ProofOfShort;

    private void Returned(EndpointProfile profile, Verdict verdict)
    {
        if (verdict == Verdict.HoldsUp)
        {
            Volatile.Write(ref _strictUntil, Environment.TickCount64 + Learning.Memory);
        }

        string reason = verdict is Verdict.Computes or Verdict.HoldsUp ? "computes" : "blocks";
        try
        {
            _returns?.Add(1, new("native_threading.transport.endpoint", profile.Name), new("native_threading.transport.reason", reason));
            if (_logged.TryAdd(profile, profile))
            {
                Log.SentBackToPool(_logger, profile.Name, reason, Pool.Name);
            }
        }
        catch (Exception)
        {
            // An error of a listener or logger must not fail the request.
        }
    }

    private bool IsAtItsLimit(NativeThreadPool pool)
    {
        if (pool.QueueLimit is { } limit && pool.PendingWorkItemCount >= limit)
        {
            return true;
        }

        int blocked = pool.BlockedThreadCount;
        if (blocked == 0 || blocked < pool.MaxBlockedThreads)
        {
            return false;
        }

        long now = Environment.TickCount64;
        if (now >= Volatile.Read(ref _nextLook))
        {
            Volatile.Write(ref _nextLook, now + (long)s_betweenLooks.TotalMilliseconds);
            Volatile.Write(ref _isOverdue, pool.OldestWorkItemAge >= s_patience);
        }

        return Volatile.Read(ref _isOverdue);
    }

    private void LogRejection()
    {
        if (_rejections.MayLog(out long suppressed))
        {
            Log.RequestRejectedAtTheLimit(_logger, Pool.Name, Pool.BlockedThreadCount, Pool.MaxBlockedThreads, Pool.PendingWorkItemCount, suppressed);
        }
    }
}
