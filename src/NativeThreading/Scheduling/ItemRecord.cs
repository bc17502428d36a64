using System.Diagnostics;

namespace NativeThreading.Scheduling;

/// <summary>What one worker runs, for as long as an observer exists: written by the worker, read by observers without a lock. It refers
/// to the item's subject while that runs, and to nothing afterwards.</summary>
internal sealed class ItemRecord
{
    private object? _subject;
    private long _began;

    /// <summary>How long the recorded items had waited.</summary>
    public WaitCounts Waits { get; } = new();

    /// <summary>Whether a recorded item runs.</summary>
    public bool IsRunning => Volatile.Read(ref _subject) is not null;

    /// <summary>An item starts, perhaps inside another item that waits for it.</summary>
    /// <param name="subject">A delegate, a method or a type: what stands for the item.</param>
    /// <param name="now">In ticks of <see cref="Stopwatch"/>.</param>
    /// <returns>What was recorded before, for <see cref="End"/>.</returns>
    public Mark Begin(object subject, long now)
    {
        var outer = new Mark(_subject, _began);
        Set(subject, now);
        return outer;
    }

    /// <summary>The item has completed.</summary>
    public void End(Mark outer) => Set(outer.Subject, outer.Began);

    /// <summary>The running item has something better to say than its callback.</summary>
    public void Rename(object subject)
    {
        if (_subject is not null)
        {
            Volatile.Write(ref _subject, subject);
        }
    }

    /// <summary>Any thread: what runs, and since when. The time is 0 where the item changes at this moment.</summary>
    public (object? Subject, long Began) Read()
    {
        long began = Volatile.Read(ref _began);
        object? subject = Volatile.Read(ref _subject);
        return (subject, Volatile.Read(ref _began) == began ? began : 0);
    }

    private void Set(object? subject, long began)
    {
        Volatile.Write(ref _subject, subject);
        Volatile.Write(ref _began, began);
    }

    /// <summary>What was recorded of an outer item.</summary>
    public readonly struct Mark(object? subject, long began)
    {
        public object? Subject { get; } = subject;
        public long Began { get; } = began;
    }
}
