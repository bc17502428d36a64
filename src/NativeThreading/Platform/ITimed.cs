namespace NativeThreading.Platform;

/// <summary>An object that <see cref="Time.PoolTimers"/> can arm. It carries its own place in the heap, so arming allocates nothing for it.</summary>
internal interface ITimed
{
    /// <summary>The object's place in the heap. <see cref="TimerQueue"/> alone uses it.</summary>
    ref TimerSlot Slot { get; }

    /// <summary>The object is due. The timer thread calls this under the lock of the heap, in the same step in which the object leaves the heap
    /// or gets its next deadline.</summary>
    /// <returns><see langword="true"/> if <see cref="Fire"/> follows.</returns>
    bool BecomeDue() => true;

    /// <summary>The object is armed anew or disarmed. Called under the lock of the heap: what the timer thread has made of an earlier deadline can be
    /// taken back here.</summary>
    void Changing()
    {
    }

    /// <summary>Does what is due: on the timer thread, without a lock. It must be short, must not block or throw, and must run no code of users:
    /// it queues to a pool.</summary>
    void Fire();
}

/// <summary>Where an armed object is. The default value is that of one which was never armed.</summary>
internal struct TimerSlot
{
    private int _position; // in the heap, plus 1; 0 if the object is not armed
    private int _queue; // the number of its heap, plus 1; 0 before the first arming. It never changes after that

    /// <summary>The position in the heap, or -1. Under the lock of the heap.</summary>
    public int Position
    {
        readonly get => _position - 1;
        set => _position = value + 1;
    }

    /// <summary>The number of the heap, or -1 if the object was never armed.</summary>
    public readonly int Queue => Volatile.Read(in _queue) - 1;

    /// <summary>The time from one firing to the next in milliseconds; 0 fires once. Under the lock of the heap.</summary>
    public uint Period { get; set; }

    /// <summary>Chooses the heap for an object that no other thread knows.</summary>
    public void ChooseFirst(int queue) => _queue = queue + 1;

    /// <summary>Chooses the heap, once. Returns the number that was chosen first.</summary>
    public int Choose(int queue) => Interlocked.CompareExchange(ref _queue, queue + 1, 0) is 0 ? queue : Queue;
}
