using System.Runtime.CompilerServices;

namespace NativeThreading.Platform;

/// <summary>The armed timers of one processor, in a heap. Any thread arms and disarms; the timer thread takes out the due ones.</summary>
/// <remarks>A timer stays in the queue of the processor that armed it first, so threads that arm timers seldom meet at a lock.</remarks>
internal sealed class TimerQueue
{
    private const int FirstCapacity = 32;

    private readonly UninterruptedLock _lock = new();
    private DeadlineHeap<Entry, Slots> _heap = new(default, FirstCapacity); // under the lock, as is what follows
    private bool _isServed;

    /// <summary>Whether no timer is armed.</summary>
    public int Armed
    {
        get
        {
            using var held = _lock.EnterScope();
            return _heap.Count;
        }
    }

    /// <summary>The timer thread serves the queue from now on.</summary>
    public void BeginServing()
    {
        using var held = _lock.EnterScope();
        _isServed = true;
    }

    /// <summary>The timer thread leaves the queue, if no timer is armed in it.</summary>
    public bool TryEndServing()
    {
        using var held = _lock.EnterScope();
        if (_heap.Count != 0)
        {
            return false;
        }

        _heap.Shrink(FirstCapacity);
        _isServed = false;
        return true;
    }

    /// <summary>Arms a timer, or moves the deadline of an armed one. <see langword="null"/>: nothing was done, because the timer thread does not
    /// serve the queue. <see langword="true"/>: it is now the first timer of the queue.</summary>
    public bool? TryArm(ITimed timer, long deadline, uint period)
    {
        using var held = _lock.EnterScope();
        if (!_isServed)
        {
            return null;
        }

        var entry = new Entry(deadline, timer);
        ref TimerSlot slot = ref timer.Slot;
        int position = slot.Position;
        slot.Period = period;
        timer.Changing();
        if (position < 0)
        {
            _heap.Add(entry);
        }
        else
        {
            _heap.Replace(position, entry);
        }

        return slot.Position == 0;
    }

    /// <summary><see langword="true"/> if the timer was armed.</summary>
    public bool Disarm(ITimed timer)
    {
        using var held = _lock.EnterScope();
        ref TimerSlot slot = ref timer.Slot;
        int position = slot.Position;
        timer.Changing();
        if (position < 0)
        {
            return false;
        }

        _heap.RemoveAt(position);
        slot.Position = -1;
        return true;
    }

    /// <summary>Takes out due timers, as many as there is room for, and moves repeating ones to their next deadline.</summary>
    /// <returns>The earliest deadline that is left; <see cref="MonotonicClock.Never"/> without one.</returns>
    public long TakeDue(long now, DueTimers due)
    {
        using var held = _lock.EnterScope();
        while (_heap.Count != 0)
        {
            (long deadline, ITimed timer) = _heap.First;
            if (deadline > now || due.IsFull)
            {
                return deadline;
            }

            if (timer.BecomeDue())
            {
                due.Add(deadline, timer);
            }

            long period = timer.Slot.Period * 1_000_000L;
            if (period == 0)
            {
                _heap.RemoveAt(0);
                timer.Slot.Position = -1;
            }
            else
            {
                _heap.Replace(0, new Entry(NextDeadline(deadline, period, now), timer));
            }
        }

        return MonotonicClock.Never;
    }

    /// <summary>Adds the armed timers of that type which satisfy the condition to a list. They stay armed.</summary>
    public void Find<TTimed>(Predicate<TTimed> condition, List<TTimed> found)
        where TTimed : class, ITimed
    {
        using var held = _lock.EnterScope();
        for (int i = 0; i < _heap.Count; i++)
        {
            if (_heap[i].Timer is TTimed timer && condition(timer))
            {
                found.Add(timer);
            }
        }
    }

    /// <summary>The next deadline of a series, which keeps its phase: deadlines that have passed are left out.</summary>
    public static long NextDeadline(long deadline, long period, long now) => deadline + (((Math.Max(now - deadline, 0) / period) + 1) * period);

    /// <summary>An armed timer.</summary>
    private readonly record struct Entry(long Deadline, ITimed Timer);

    private readonly struct Slots : IHeapOwner<Entry>
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool IsBefore(in Entry entry, in Entry other) => entry.Deadline < other.Deadline;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Placed(in Entry entry, int position) => entry.Timer.Slot.Position = position;
    }
}

/// <summary>The timers that have become due in one pass over all queues, in the order of their deadlines.</summary>
/// <remarks>One thread may have armed its timers on several processors. If the timer thread is late for two of them, their callbacks are still queued in
/// order.</remarks>
internal sealed class DueTimers(int capacity)
{
    private readonly (long Deadline, ITimed? Timer)[] _timers = new (long, ITimed?)[capacity];
    private int _count;

    public bool IsFull => _count == _timers.Length;

    /// <summary>Adds one after those with the same deadline. The timers of one queue come in their order, so only those of another queue move.</summary>
    public void Add(long deadline, ITimed timer)
    {
        int place = _count++;
        for (; place > 0 && _timers[place - 1].Deadline > deadline; place--)
        {
            _timers[place] = _timers[place - 1];
        }

        _timers[place] = (deadline, timer);
    }

    /// <summary>Fires all, and keeps no reference to them.</summary>
    public void Fire()
    {
        for (int i = 0; i < _count; i++)
        {
            Chaos.Point("DueTimers.Fire");
            _timers[i].Timer!.Fire();
            _timers[i] = default;
        }

        _count = 0;
    }
}
