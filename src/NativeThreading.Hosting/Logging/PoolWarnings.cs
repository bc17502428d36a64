using System.Collections.Concurrent;
using System.Diagnostics.Tracing;
using Microsoft.Extensions.Logging;

namespace NativeThreading.Hosting;

/// <summary>
/// Logs what the pools and loops of a container could not do as asked: the warnings and errors of the event source
/// NativeThreading. One of a kind in ten seconds for each pool.
/// </summary>
/// <remarks>
/// Events name their pool, and nothing else tells whose it is: a pool of the same name in another container of the process
/// is told of here, too. Nothing is paid for this while nothing happens; items are traced at a level that is not asked for.
/// </remarks>
internal sealed class PoolWarnings : EventListener
{
    private const string SourceName = "NativeThreading";

    // The base constructor calls us: these are set before it, the others after.
    private readonly ConcurrentDictionary<(string Name, int Event), WarningPace> _paces = new();
    private readonly HashSet<string> _pools;
    private readonly HashSet<string> _groups;
    private readonly ILogger _logger;
    private readonly TimeProvider _time;
    private volatile bool _isReady;

    /// <param name="pools">The names of the container's pools.</param>
    /// <param name="groups">The names of its groups of event loops; a number follows in the names of their loops.</param>
    /// <param name="logger">What is written to, from the runtime's pool.</param>
    /// <param name="time">The clock.</param>
    public PoolWarnings(IEnumerable<string> pools, IEnumerable<string> groups, ILogger logger, TimeProvider time)
    {
        _pools = [.. pools];
        _groups = [.. groups];
        _logger = logger;
        _time = time;
        _isReady = true;
    }

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == SourceName)
        {
            EnableEvents(eventSource, EventLevel.Warning, EventKeywords.None);
        }
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        // Counters come to everybody who listens, when somebody else asks for them.
        if (!_isReady || eventData.EventId <= 0 || eventData.Level is EventLevel.LogAlways or > EventLevel.Warning || !IsOurs(eventData, out string name))
        {
            return;
        }

        if (_paces.GetOrAdd((name, eventData.EventId), static (_, time) => new WarningPace(time), _time).MayTell(out long untold))
        {
            // The pool waits for us, perhaps with a lock: a logger may take its time elsewhere.
            ThreadPool.UnsafeQueueUserWorkItem(new PoolWarning(_logger, eventData, untold), preferLocal: false);
        }
    }

    /// <summary>Whether it is of one of the container's, whose name it is, or of the whole process, without a name.</summary>
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
