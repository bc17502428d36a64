using System.Collections.Concurrent;
using System.Diagnostics.Tracing;
using System.Runtime.Loader;

namespace NativeThreading.Tests.Support;

/// <summary>Records what the event source NativeThreading writes while it lives.</summary>
public sealed class EventLog : EventListener
{
    private readonly ConcurrentQueue<EventWrittenEventArgs> _events = new();

    public IReadOnlyList<EventWrittenEventArgs> Of(string eventName) => [.. _events.Where(e => e.EventName == eventName)];

    public IReadOnlyList<EventWrittenEventArgs> Of(string eventName, string pool) =>
        [.. Of(eventName).Where(e => e.Payload?[0] as string == pool)];

    /// <summary>Waits for the first event of that name and pool.</summary>
    public EventWrittenEventArgs WaitFor(string eventName, string pool)
    {
        Deadline.Until(() => Of(eventName, pool).Count != 0, $"event {eventName}");
        return Of(eventName, pool)[0];
    }

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        // Not that of the library's double in a plug-in, which what is kept here would keep too.
        if (eventSource.Name == "NativeThreading"
            && AssemblyLoadContext.GetLoadContext(eventSource.GetType().Assembly) == AssemblyLoadContext.GetLoadContext(typeof(EventLog).Assembly))
        {
            EnableEvents(eventSource, EventLevel.Warning); // not each item
        }
    }

    // May be called from the base constructor's registration, before the field is set.
    protected override void OnEventWritten(EventWrittenEventArgs eventData) => _events?.Enqueue(eventData);
}
