namespace NativeThreading.Diagnostics;

/// <summary>
/// Where a queue begins and ends at some moment. Positions count up as items are queued and taken, and wrap; only
/// differences mean anything.
/// </summary>
/// <param name="Head">The position of the oldest item.</param>
/// <param name="Tail">The position behind the newest item; nothing waits where it is the head.</param>
/// <param name="Removed">
/// At least how many items have left at the tail, or from the middle, since the queue was created: each of them has
/// brought the tail back by one.
/// </param>
internal readonly record struct QueueSnapshot(int Head, int Tail, int Removed)
{
    public bool IsEmpty => unchecked(Tail - Head) <= 0;
}
