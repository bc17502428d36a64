using System.Collections.Concurrent;
using System.Diagnostics.Tracing;
using System.Globalization;

namespace NativeThreading.Processes.Tests.Interop;

/// <summary>Listens to which core the process runs on.</summary>
internal sealed class CoreEvents : EventListener
{
    private readonly ConcurrentQueue<string> _told = new();

    /// <summary>Writes a line for each event.</summary>
    public void Tell()
    {
        foreach (string line in _told)
        {
            Console.WriteLine(line);
        }
    }

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == "NativeThreading")
        {
            EnableEvents(eventSource, EventLevel.Informational);
        }
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        if (eventData.EventName is "CoreChosen" or "NativeCoreUnusable")
        {
            _told.Enqueue($"event {eventData.EventName}: {string.Format(CultureInfo.InvariantCulture, eventData.Message!, [.. eventData.Payload!])}");
        }
    }
}
