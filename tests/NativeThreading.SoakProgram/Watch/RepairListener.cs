using System.Diagnostics.Tracing;
using System.Globalization;

namespace NativeThreading.SoakProgram.Watch;

/// <summary>Receives the events that the library itself calls defects, also of pools that are not referenced any more.</summary>
internal sealed class RepairListener : EventListener
{
    private static readonly string[] s_defects = ["LostRequestRepaired", "WorkerEnded", "LoopThreadEnded", "LoopEnded"];

    private readonly Verdict _verdict;

    public RepairListener(Verdict verdict) => _verdict = verdict;

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == "NativeThreading")
        {
            EnableEvents(eventSource, EventLevel.Error);
        }
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        if (s_defects.Contains(eventData.EventName) && _verdict is { } verdict)
        {
            verdict.Fail(string.Format(CultureInfo.InvariantCulture, eventData.Message ?? eventData.EventName!, [.. eventData.Payload!]));
        }
    }
}
