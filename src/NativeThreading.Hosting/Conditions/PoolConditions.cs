using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using NativeThreading.Diagnostics;

namespace NativeThreading.Hosting;

/// <summary>Describes in words the trouble of the pools and event loops of the process and of the built-in pool. It is a service of each container
/// with a pool. All members may be called from any thread.</summary>
/// <remarks>
/// <para>Health checks, the log, the metric <c>native_threading.condition</c> and the live page have the same words. The service checks when one of
/// them asks, after a warning of a pool, and then each second until no condition is left. Otherwise nothing runs, unless
/// <see cref="ConditionOptions.CheckInterval"/> is set.</para>
/// <para>The log has one message when a condition starts, and one when it has been over for ten seconds.</para>
/// </remarks>
/// <example>
/// <code>
/// foreach (Verdict verdict in conditions.Verdicts)
/// {
///     Console.WriteLine(verdict.Text);
/// }
/// </code>
/// </example>
public sealed class PoolConditions : IDisposable
{
    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_fresh = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan s_calm = TimeSpan.FromSeconds(10);

    private readonly Lock _lock = new();
    private readonly Dictionary<(string SubjectId, string Id), (DateTimeOffset Last, string Subject)> _open = []; // the lock guards what follows
    private readonly Judge _judge;
    private readonly TimeSpan? _checkInterval;
    private readonly TimeProvider _clock;
    private readonly ILogger _logger;
    private IReadOnlyList<Verdict> _verdicts = [];
    private DateTimeOffset _judgedAt;
    private ITimer? _timer; // while a condition is open
    private ITimer? _checks; // if the options say how often
    private bool _isAlarmed;
    private string[] _pools = [];
    private bool _isDisposed;

    /// <summary>Creates the service. Containers call this.</summary>
    /// <param name="options">The limits.</param>
    /// <param name="logger">The log of conditions that start and end.</param>
    /// <param name="clock">The clock; <see langword="null"/> for that of the system.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> or <paramref name="logger"/> is null.</exception>
    public PoolConditions(IOptions<ConditionOptions> options, ILogger<PoolConditions> logger, TimeProvider? clock = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(logger);
        _judge = new Judge(options.Value);
        _checkInterval = options.Value.CheckInterval;
        _logger = logger;
        _clock = clock ?? TimeProvider.System;
    }

    /// <summary>Gets the verdicts of this moment, the worst first; empty if there is no trouble. Takes a snapshot if the last one is older than half
    /// a second.</summary>
    public IReadOnlyList<Verdict> Verdicts
    {
        get
        {
            using var held = _lock.EnterScope();
            if (_judgedAt == default || _clock.GetUtcNow() - _judgedAt >= s_fresh)
            {
                using var observer = new ThreadObserver(recordsItems: false);
                Judge(observer.TakeSnapshot());
            }

            return _verdicts;
        }
    }

    /// <summary>Judges a snapshot that the caller has taken for another purpose.</summary>
    /// <param name="snapshot">A snapshot of this moment.</param>
    /// <returns>The verdicts, the worst first; empty if there is no trouble.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="snapshot"/> is null.</exception>
    public IReadOnlyList<Verdict> Judge(ThreadSnapshot snapshot)
    {
        ArgumentNullException.ThrowIfNull(snapshot);
        using var held = _lock.EnterScope();
        _judgedAt = _clock.GetUtcNow();
        _verdicts = _judge.Next(snapshot, BuiltInPoolCounts.Now, _judgedAt, _isAlarmed);
        _isAlarmed = false;
        FindChanges();
        return _verdicts;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        using var held = _lock.EnterScope();
        _isDisposed = true;
        _timer?.Dispose();
        _checks?.Dispose();
    }

    /// <summary>Creates the metric, and starts regular checks if the options have an interval.</summary>
    internal void Publish(IMeterFactory factory, IEnumerable<string> pools)
    {
        _pools = [.. pools];
        factory.Create(new MeterOptions("NativeThreading") { Version = typeof(NativeThreadPool).Assembly.GetName().Version?.ToString() })
            .CreateObservableGauge("native_threading.condition", Measure, "{condition}", "1 while the condition lasts, otherwise 0.");
        using var held = _lock.EnterScope();
        if (_checkInterval is { } interval && !_isDisposed)
        {
            _checks = TimerOf(interval, interval);
        }
    }

    /// <summary>Something may be wrong: a warning was written. Judges soon, and each second while a condition is open.</summary>
    internal void Alarm()
    {
        using var held = _lock.EnterScope();
        _isAlarmed = true;
        Follow();
    }

    /// <summary>Under the lock.</summary>
    private void Follow()
    {
        if (!_isDisposed)
        {
            _timer ??= TimerOf(s_fresh, s_period);
        }
    }

    private ITimer TimerOf(TimeSpan dueTime, TimeSpan period) => _clock.CreateTimer(static conditions => ((PoolConditions)conditions!).Tick(), this, dueTime, period);

    private void Tick()
    {
        try
        {
            using var held = _lock.EnterScope();
            if (!_isDisposed && Verdicts.Count == 0 && _open.Count == 0)
            {
                _timer?.Dispose();
                _timer = null;
            }
        }
        catch (Exception exception)
        {
            Log.JudgingFailed(_logger, exception); // on a timer's thread it would end the process
        }
    }

    private IEnumerable<Measurement<int>> Measure()
    {
        IReadOnlyList<Verdict> verdicts = Verdicts;
        foreach (string pool in _pools)
        {
            foreach (ConditionKind kind in ConditionKind.OfPools)
            {
                yield return Of(kind, verdicts.Any(verdict => verdict.Subject == pool && IsOf(verdict, kind, "pool-")), new KeyValuePair<string, object?>("native_threading.pool.name", pool));
            }
        }

        yield return Of(ConditionKind.BuiltInPoolStarving, verdicts.Any(static verdict => IsOf(verdict, ConditionKind.BuiltInPoolStarving, "runtime-pool")));
        yield return Of(ConditionKind.LongTurn, verdicts.Any(static verdict => IsOf(verdict, ConditionKind.LongTurn, "loop-")));

        static bool IsOf(Verdict verdict, ConditionKind kind, string subject) =>
            verdict.SubjectId.StartsWith(subject, StringComparison.Ordinal) && verdict.Conditions.Any(condition => condition.Id == kind.Id);

        static Measurement<int> Of(ConditionKind kind, bool isOpen, params KeyValuePair<string, object?>[] tags) =>
            new(isOpen ? 1 : 0, [new("native_threading.condition", kind.Id), .. tags]);
    }

    /// <summary>Notes which conditions have started and which are over. A logger may be slow, and may throw, so it runs elsewhere.</summary>
    private void FindChanges()
    {
        foreach (Verdict verdict in _verdicts)
        {
            foreach (Condition condition in verdict.Conditions)
            {
                if (!_open.ContainsKey((verdict.SubjectId, condition.Id)))
                {
                    LogLevel level = ConditionKind.Of(condition.Id).Level;
                    Later(() => Log.ConditionBegan(_logger, level, verdict.Subject, condition, condition.Remedy, condition.Id));
                    Follow(); // its end is to be logged, too
                }

                _open[(verdict.SubjectId, condition.Id)] = (_judgedAt, verdict.Subject);
            }
        }

        foreach (((string subjectId, string id), (DateTimeOffset last, string subject)) in _open)
        {
            if (_judgedAt - last >= s_calm)
            {
                _open.Remove((subjectId, id)); // allowed in a loop over a dictionary
                Later(() => Log.ConditionEnded(_logger, subject, id));
            }
        }
    }

    private static void Later(Action log) => ThreadPool.UnsafeQueueUserWorkItem(
        static log =>
        {
            try
            {
                log();
            }
            catch (Exception)
            {
                // The logger itself failed, and only a logger could report that.
            }
        },
        log,
        preferLocal: false);
}
