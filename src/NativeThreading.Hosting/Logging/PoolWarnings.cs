using System.Collections.Concurrent;
using System.Diagnostics.Tracing;
using Microsoft.Extensions.Logging;

namespace NativeThreading.Hosting;

/// <summary>Logs the warnings and errors of the event source NativeThreading that concern the pools and loops of a container. For each pool and each
/// event it logs at most one message in ten seconds.</summary>
/// <remarks>An event identifies its pool only by name. So events of a pool with the same name in another container of the process are logged here,
/// too. The listener costs nothing while there are no events: its level does not include the trace of items.</remarks>
internal sealed class PoolWarnings : EventListener
{
    private const string SourceName = "NativeThreading";
    private const string NativeCoreUnusable = "NativeCoreUnusable";

    // The base constructor calls OnEventSourceCreated and OnEventWritten. The field initializers run before it, the assignments below after it.
    private readonly ConcurrentDictionary<(string Name, int Event), WarningPace> _paces = new();
    private readonly HashSet<string> _pools;
    private readonly HashSet<string> _groups;
    private readonly ILogger _logger;
    private readonly TimeProvider _time;
    private readonly PoolConditions? _conditions;
    private EventSource? _existing; // set by OnEventSourceCreated, perhaps inside the base constructor
    private volatile bool _isReady;
    private int _coreLogged;

    /// <param name="pools">The names of the container's pools.</param>
    /// <param name="groups">The names of its groups of event loops. A loop's name is its group's with a number.</param>
    /// <param name="logger">The logger; it is called on the built-in pool.</param>
    /// <param name="time">The clock.</param>
    /// <param name="conditions">What is asked to judge the pools after a warning, if there is any.</param>
    public PoolWarnings(IEnumerable<string> pools, IEnumerable<string> groups, ILogger logger, TimeProvider time, PoolConditions? conditions = null)
    {
        _pools = [.. pools];
        _groups = [.. groups];
        _logger = logger;
        _time = time;
        _conditions = conditions;
        _isReady = true;
        if (_existing is { } source)
        {
            EnableEvents(source, EventLevel.Warning, EventKeywords.None); // again: the source reports its core to each new listener, and we missed it
        }
    }

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == SourceName)
        {
            _existing = _isReady ? null : eventSource;
            EnableEvents(eventSource, EventLevel.Warning, EventKeywords.None);
        }
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        // A listener also gets the counters that another listener has asked for.
        if (!_isReady || eventData.EventId <= 0 || eventData.Level is EventLevel.LogAlways or > EventLevel.Warning || !IsOurs(eventData, out string name))
        {
            return;
        }

        if (eventData.EventName == NativeCoreUnusable && Interlocked.Exchange(ref _coreLogged, 1) != 0)
        {
            return; // the source writes this event again for each new listener
        }

        if (_paces.GetOrAdd((name, eventData.EventId), static (_, time) => new WarningPace(time), _time).MayLog(out long suppressed))
        {
            // The thread of the pool waits here, perhaps with a lock held. A logger may be slow, so it runs elsewhere.
            ThreadPool.UnsafeQueueUserWorkItem(new PoolWarning(_logger, eventData, suppressed), preferLocal: false);
            if (_conditions is not null)
            {
                ThreadPool.UnsafeQueueUserWorkItem(static conditions => conditions.Alarm(), _conditions, preferLocal: false);
            }
        }
    }

    /// <summary>Whether the event names a pool or loop of the container, or names none because it concerns the whole process.</summary>
    private bool IsOurs(EventWrittenEventArgs written, out string name)
    {
        bool isOfAPool = written.PayloadNames is ["pool", ..];
        name = (isOfAPool || written.PayloadNames is ["loop", ..]) && written.Payload is [string first, ..] ? first : "";
        return name.Length == 0 || (isOfAPool ? _pools.Contains(name) : IsOfAGroup(name));
    }

    private bool IsOfAGroup(string loop)
    {
        int dash = loop.LastIndexOf('-');
        return dash >= 0 && _groups.Contains(loop[..dash]) && loop.AsSpan(dash + 1).IndexOfAnyExceptInRange('0', '9') < 0;
    }
}
