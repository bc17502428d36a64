namespace NativeThreading.Queues;

/// <summary>Where a queue begins and ends. Positions count up as items are queued and taken, and wrap around; only differences mean
/// anything.</summary>
/// <param name="Head">The position of the oldest item.</param>
/// <param name="Tail">The position behind the newest item; the head's, if the queue is empty.</param>
/// <param name="Removed">
/// A lower bound of the items that have left at the tail or from the middle since the queue was created. Each has moved the
/// tail back by one.
/// </param>
internal readonly record struct QueueSnapshot(int Head, int Tail, int Removed)
{
    public bool IsEmpty => unchecked(Tail - Head) <= 0;
}
