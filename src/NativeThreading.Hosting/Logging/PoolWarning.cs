using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Diagnostics.Tracing;
using System.Globalization;
using Microsoft.Extensions.Logging;

namespace NativeThreading.Hosting;

/// <summary>One event as a log message, with the event's arguments by name.</summary>
internal sealed class PoolWarning(ILogger logger, EventWrittenEventArgs written, long suppressed)
    : IThreadPoolWorkItem, IReadOnlyList<KeyValuePair<string, object?>>
{
    /// <summary>The log id is the event's number plus this. Smaller ids are the package's own messages.</summary>
    public const int FirstId = 100;

    private const string Suppressed = "suppressed";

    private readonly object?[] _values = [.. written.Payload ?? (IEnumerable<object?>)[]];

    // An event that limits its own rate has the number of suppressed events as its last argument. The log adds those that it suppressed itself.
    private readonly string[] _names = [.. (written.PayloadNames ?? (IEnumerable<string>)[]).Where(static name => name != Suppressed)];
    private readonly long _suppressed = suppressed + (written.PayloadNames is [.., Suppressed] ? Convert.ToInt64(written.Payload![^1], CultureInfo.InvariantCulture) : 0);
    private readonly EventId _id = new(FirstId + written.EventId, written.EventName);
    private readonly string _format = written.Message ?? written.EventName ?? "";

    // The event's own level, under the name that logging has for it.
    private readonly LogLevel _level = written.Level switch
    {
        EventLevel.Critical => LogLevel.Critical,
        EventLevel.Error => LogLevel.Error,
        _ => LogLevel.Warning,
    };

    public int Count => _names.Length + 2;

    public KeyValuePair<string, object?> this[int index] =>
        index < _names.Length ? new(_names[index], _values[index])
        : index == _names.Length ? new(Suppressed, _suppressed)
        : new("{OriginalFormat}", _format);

    [SuppressMessage("Design", "CA1031", Justification = "An exception of the logger would end the process.")]
    public void Execute()
    {
        try
        {
            logger.Log(_level, _id, this, exception: null, static (warning, _) => warning.ToString());
        }
        catch (Exception)
        {
            // The logger itself failed, and only a logger could report that.
        }
    }

    public override string ToString()
    {
        string text = string.Format(CultureInfo.InvariantCulture, _format, _values);
        return _suppressed == 0 ? text : string.Create(CultureInfo.InvariantCulture, $"{text} {_suppressed} similar messages suppressed.");
    }

    public IEnumerator<KeyValuePair<string, object?>> GetEnumerator()
    {
        for (int i = 0; i < Count; i++)
        {
            yield return this[i];
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
