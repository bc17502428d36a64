using System.Diagnostics.Tracing;

namespace NativeThreading.SoakProgram.Tracks;

/// <summary>Traces every item, and throws now and then.</summary>
internal sealed class ThrowingEventListener : EventListener
{
    private int _calls;

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == "NativeThreading")
        {
            EnableEvents(eventSource, EventLevel.Verbose, EventKeywords.All);
        }
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        if (Interlocked.Increment(ref _calls) % 100 == 0)
        {
            throw new SoakException();
        }
    }
}
