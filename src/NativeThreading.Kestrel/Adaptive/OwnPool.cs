using System.Diagnostics.Metrics;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using NativeThreading.AspNetCore;
using NativeThreading.Hosting;

namespace NativeThreading.Kestrel.Adaptive;

/// <summary>
/// The transport's own pool, for code that is not proven short. It is created when a request needs it first. While it is at its limit of blocked
/// threads, and something has waited in it for a second, it takes no further requests: they would wait without bound.
/// </summary>
internal sealed class OwnPool
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_betweenLooks = TimeSpan.FromMilliseconds(100); // each of which asks every thread of the pool

    private readonly Lazy<NativeThreadPool> _pool;
    private readonly RejectedRequests _rejected;
    private readonly bool _rejects;
    private long _nextLook;
    private bool _isOverdue;

    public OwnPool(IServiceProvider services, NativeTransportOptions options, ILogger logger)
    {
        _pool = new Lazy<NativeThreadPool>(() => new NativeThreadPool(options.DefaultPool, services.GetService<IMeterFactory>()));
        _rejects = options.RejectsAtTheLimit;
        var log = new OverloadLog(this, logger, services.GetService<TimeProvider>() ?? TimeProvider.System);
        string name = options.DefaultPool.Name;
        _rejected = new RejectedRequests(log.RequestRejected, services.GetService<IOptionsMonitor<NativeThreadPoolRequestOptions>>()?.Get(name) ?? new());
    }

    public NativeThreadPool Pool => _pool.Value;

    /// <summary>Ends it, if there was ever a request for it.</summary>
    public Task EndAsync(CancellationToken cancellationToken) =>
        _pool.IsValueCreated ? Pool.ShutdownAsync(cancellationToken) : Task.CompletedTask;

    /// <summary>Whether a further request is to be rejected.</summary>
    public bool Rejects() => _rejects && (IsAtItsLimit() || (Pool.QueueLimit is { } limit && Pool.PendingWorkItemCount >= limit));

    /// <summary>Answers a request that the pool does not take.</summary>
    public Task RejectAsync(HttpContext context) => _rejected.AnswerAsync(context);

    private bool IsAtItsLimit()
    {
        int blocked = Pool.BlockedThreadCount;
        if (blocked == 0 || blocked < Pool.MaxBlockedThreads)
        {
            return false;
        }

        long now = Environment.TickCount64;
        if (now >= Volatile.Read(ref _nextLook))
        {
            Volatile.Write(ref _nextLook, now + (long)s_betweenLooks.TotalMilliseconds);
            Volatile.Write(ref _isOverdue, Pool.OldestWorkItemAge >= s_patience);
        }

        return Volatile.Read(ref _isOverdue);
    }

    /// <summary>Logs rejections, but not each one.</summary>
    private sealed class OverloadLog(OwnPool own, ILogger logger, TimeProvider time)
    {
        private readonly WarningPace _pace = new(time);

        public void RequestRejected()
        {
            if (_pace.MayLog(out long suppressed))
            {
                NativeThreadPool pool = own.Pool;
                Log.RequestRejectedAtTheLimit(logger, pool.Name, pool.BlockedThreadCount, pool.MaxBlockedThreads, pool.PendingWorkItemCount, suppressed);
            }
        }
    }
}
