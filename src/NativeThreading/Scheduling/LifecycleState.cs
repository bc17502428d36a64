namespace NativeThreading.Scheduling;

/// <summary>
/// How far the shutdown of a pool or a loop has come. It is a field of the pool or loop itself, so that an entry call reads it with one plain load.
/// </summary>
/// <param name="isLimited">The queue is limited, so each entry call needs further checks.</param>
internal struct LifecycleState(bool isLimited)
{
    private const int Open = 0;
    private const int Limited = 1;
    private const int Draining = 2;
    private const int Stopped = 3;

    private int _value = isLimited ? Limited : Open;

    /// <summary>Whether an entry call needs no further check: the queue is not limited, and the shutdown has not started.</summary>
    public readonly bool IsOpen => Volatile.Read(in _value) == Open;

    /// <summary>Whether the shutdown has started.</summary>
    public readonly bool IsEnding => Volatile.Read(in _value) >= Draining;

    /// <summary>Whether accepted work still runs.</summary>
    public readonly bool IsDraining => Volatile.Read(in _value) == Draining;

    /// <summary>Whether nothing runs here any more.</summary>
    public readonly bool IsStopped => Volatile.Read(in _value) == Stopped;

    /// <summary>Starts the shutdown; <see langword="false"/> if it had started before.</summary>
    public bool TryDrain() =>
        Interlocked.CompareExchange(ref _value, Draining, Open) == Open || Interlocked.CompareExchange(ref _value, Draining, Limited) == Limited;

    /// <summary>The stop, under the lock of the thread that decides it.</summary>
    public void Stop() => Volatile.Write(ref _value, Stopped);
}
