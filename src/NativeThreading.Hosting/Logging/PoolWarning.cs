using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Diagnostics.Tracing;
using System.Globalization;
using Microsoft.Extensions.Logging;

namespace NativeThreading.Hosting;

/// <summary>One event as a log message, with the event's arguments by name.</summary>
internal sealed class PoolWarning(ILogger logger, EventWrittenEventArgs told, long untold) : IThreadPoolWorkItem, IReadOnlyList<KeyValuePair<string, object?>>
{
    /// <summary>Is added to an event's number. Ids up to this are the package's own messages.</summary>
    public const int FirstId = 100;

    private readonly object?[] _values = [.. told.Payload ?? (IEnumerable<object?>)[]];
    private readonly string[] _names = [.. told.PayloadNames ?? (IEnumerable<string>)[]];
    private readonly EventId _id = new(FirstId + told.EventId, told.EventName);
    private readonly LogLevel _level = told.Level == EventLevel.Critical ? LogLevel.Error : LogLevel.Warning;
    private readonly string _format = told.Message ?? told.EventName ?? "";

    public int Count => _names.Length + 2;

    public KeyValuePair<string, object?> this[int index] =>
        index < _names.Length ? new(_names[index], _values[index])
        : index == _names.Length ? new("untold", untold)
        : new("{OriginalFormat}", _format);

    [SuppressMessage("Design", "CA1031", Justification = "What a logger throws here would end the process.")]
    public void Execute()
    {
        try
        {
            logger.Log(_level, _id, this, exception: null, static (warning, _) => warning.ToString());
        }
        catch (Exception)
        {
            // The logger itself failed, and this could only be logged.
        }
    }

    public override string ToString()
    {
        string text = string.Format(CultureInfo.InvariantCulture, _format, _values);
        return untold == 0 ? text : string.Create(CultureInfo.InvariantCulture, $"{text} {untold} more were not told since the last one.");
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
