using System.Collections.Concurrent;

namespace NativeThreading.Tests.Support;

/// <summary>An observer that records each call, in order.</summary>
internal sealed class RecordingObserver : IWorkObserver
{
    private readonly ConcurrentQueue<(string, WorkInfo)> _seen = new();

    public (string Stage, WorkInfo Work)[] Seen => [.. _seen];

    public string[] Stages => [.. _seen.Select(static seen => seen.Item1)];

    public void Queued(in WorkInfo work) => _seen.Enqueue(("Queued", work));

    public void Started(in WorkInfo work) => _seen.Enqueue(("Started", work));

    public void Completed(in WorkInfo work) => _seen.Enqueue(("Completed", work));

    public void Failed(in WorkInfo work) => _seen.Enqueue(("Failed", work));

    public void Expired(in WorkInfo work) => _seen.Enqueue(("Expired", work));

    public void Cancelled(in WorkInfo work) => _seen.Enqueue(("Cancelled", work));
}
