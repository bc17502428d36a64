using System.Collections.Concurrent;
using System.Diagnostics.Tracing;
using Microsoft.Extensions.Logging;

namespace NativeThreading.Hosting;

/// <summary>
/// Logs warnings and errors of the event source NativeThreading: what the pools and loops of a container could not do as asked.
/// At most one of a kind in ten seconds for each pool.
/// </summary>
/// <remarks>
/// An event says whose it is only by its pool's name. So events of a pool of the same name in another container of the process
/// are logged here, too. This costs nothing while nothing happens: the level does not include the trace of items.
/// </remarks>
internal sealed class PoolWarnings : EventListener
{
    private const string SourceName = "NativeThreading";
    private const string NativeCoreUnusable = "NativeCoreUnusable";

    // The base constructor calls OnEventSourceCreated and OnEventWritten: these are set before it, the others after.
    private readonly ConcurrentDictionary<(string Name, int Event), WarningPace> _paces = new();
    private readonly HashSet<string> _pools;
    private readonly HashSet<string> _groups;
    private readonly ILogger _logger;
    private readonly TimeProvider _time;
    private EventSource? _existing; // before the constructor: no initializer may touch it
    private volatile bool _isReady;
    private int _coreTold;

    /// <param name="pools">The names of the container's pools.</param>
    /// <param name="groups">The names of its groups of event loops. A loop's name is its group's with a number.</param>
    /// <param name="logger">Is written to on the runtime's pool.</param>
    /// <param name="time">The clock.</param>
    public PoolWarnings(IEnumerable<string> pools, IEnumerable<string> groups, ILogger logger, TimeProvider time)
    {
        _pools = [.. pools];
        _groups = [.. groups];
        _logger = logger;
        _time = time;
        _isReady = true;
        if (_existing is { } source)
        {
            EnableEvents(source, EventLevel.Warning, EventKeywords.None); // once more: it tells a new listener on which core the process runs
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

        if (eventData.EventName == NativeCoreUnusable && Interlocked.Exchange(ref _coreTold, 1) != 0)
        {
            return; // it is written again for each listener that begins
        }

        if (_paces.GetOrAdd((name, eventData.EventId), static (_, time) => new WarningPace(time), _time).MayTell(out long untold))
        {
            // The thread of the pool waits here, perhaps with a lock held. A logger may be slow, so it runs elsewhere.
            ThreadPool.UnsafeQueueUserWorkItem(new PoolWarning(_logger, eventData, untold), preferLocal: false);
        }
    }

    /// <summary>
    /// Whether the event is of a pool or loop of the container, which it names, or of the whole process, without a name.
    /// </summary>
    private bool IsOurs(EventWrittenEventArgs told, out string name)
    {
        bool isOfAPool = told.PayloadNames is ["pool", ..];
        name = (isOfAPool || told.PayloadNames is ["loop", ..]) && told.Payload is [string first, ..] ? first : "";
        return name.Length == 0 || (isOfAPool ? _pools.Contains(name) : IsOfAGroup(name));
    }

    private bool IsOfAGroup(string loop)
    {
        int dash = loop.LastIndexOf('-');
        return dash >= 0 && _groups.Contains(loop[..dash]) && loop.AsSpan(dash + 1).IndexOfAnyExceptInRange('0', '9') < 0;
    }
}
