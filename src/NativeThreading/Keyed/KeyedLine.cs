using System.Globalization;
using NativeThreading.Platform;

namespace NativeThreading.Keyed;

/// <summary>The result of a push.</summary>
internal enum Pushed
{
    /// <summary>As many items wait as the limit allows. The item was not pushed.</summary>
    Full,

    /// <summary>A turn that exists reaches the item.</summary>
    Waits,

    /// <summary>The caller has entered a turn, and must queue it.</summary>
    NeedsTurn,
}

/// <summary>The waiting items of one key. Turns run them in the order in which they were pushed. The number of turns is limited.</summary>
/// <remarks>
/// <para>Producers push onto a stack, with one interlocked operation for each item. A turn takes the whole stack at once, and runs the items from the
/// oldest to the newest. A line without a turn is idle: the producer whose push finds too few turns enters one, and queues it on the pool.</para>
/// <para>A turn that finds no item leaves, and then reads the stack once more. Both the push and the leaving are full fences, so either the
/// producer sees that the turn has left, or the turn sees the item. Model: native/models/keyed_line.pml.</para>
/// </remarks>
internal class KeyedLine
{
    private readonly UninterruptedLock _lock; // of _taken, where several turns may be at work
    private readonly int _most;
    private readonly int _limit;
    private KeyedItem? _incoming; // newest first
    private KeyedItem? _taken; // oldest first
    private int _turns;
    private int _waiting;

    /// <param name="target">The scheduler that runs the turns.</param>
    /// <param name="most">The number of turns that may exist at once.</param>
    /// <param name="limit">The number of items that may wait; <see cref="int.MaxValue"/> if there is no limit.</param>
    /// <param name="weight">The share of one turn before other lines have their turns.</param>
    public KeyedLine(KeyedTarget target, int most, int limit, int weight)
    {
        (Target, _most, _limit, Weight) = (target, most, limit, weight);
        _lock = IsShared ? new UninterruptedLock() : default;
    }

    public KeyedTarget Target { get; }

    public int Weight { get; }

    /// <summary>Whether several turns may be at work at once.</summary>
    public bool IsShared => _most != 1;

    /// <summary>Whether no item waits or runs. Exact while no caller can push.</summary>
    /// <remarks>The stack first: a turn that has left, and sees an item, enters again and then takes the stack. In the other order it could do both
    /// between the two reads.</remarks>
    public bool IsIdle
    {
        get
        {
            bool isEmpty = Volatile.Read(ref _incoming) is null;
            Chaos.Point("KeyedLine.IsIdle, looked for items");
            return isEmpty && Volatile.Read(ref _turns) == 0;
        }
    }

    /// <summary>Pushes an item. A caller that gets <see cref="Pushed.NeedsTurn"/> owns a turn.</summary>
    public Pushed Push(KeyedItem item)
    {
        bool counts = _limit != int.MaxValue && !item.ContinuesWork;
        if (counts && Interlocked.Increment(ref _waiting) > _limit)
        {
            Interlocked.Decrement(ref _waiting);
            return Pushed.Full;
        }

        if (!item.TryJoin(this))
        {
            Interlocked.Add(ref _waiting, counts ? -1 : 0);
            return Pushed.Waits;
        }

        KeyedItem? newest = Volatile.Read(ref _incoming);
        while (true)
        {
            item.Next = newest;
            KeyedItem? seen = Interlocked.CompareExchange(ref _incoming, item, newest);
            if (seen == newest)
            {
                break;
            }

            newest = seen;
        }

        Chaos.Point("KeyedLine.Push, pushed");
        return TryEnter() ? Pushed.NeedsTurn : Pushed.Waits;
    }

    /// <summary>Pushes an item, and queues the turn that it needs.</summary>
    /// <returns><see langword="false"/> if as many items wait as the limit allows.</returns>
    public bool TryPush(KeyedItem item, KeyedEntry entry)
    {
        Pushed pushed = Push(item);
        if (pushed == Pushed.NeedsTurn)
        {
            new KeyedTurn(this).Start(item, entry);
        }

        return pushed != Pushed.Full;
    }

    /// <summary>Adds the waiting tasks of a scheduler, for debuggers. A snapshot.</summary>
    public void CopyTasks(List<Task> tasks)
    {
        foreach (KeyedItem? first in (KeyedItem?[])[Volatile.Read(ref _taken), Volatile.Read(ref _incoming)])
        {
            for (KeyedItem? item = first; item is not null; item = item.Next)
            {
                if (item is TaskItem { IsTaken: false } task)
                {
                    tasks.Add(task.Task);
                }
            }
        }
    }

    /// <summary>An item has been taken, so it does not wait any more.</summary>
    public void Leave(KeyedItem item)
    {
        if (_limit != int.MaxValue && !item.ContinuesWork)
        {
            Interlocked.Decrement(ref _waiting);
        }
    }

    /// <summary>Takes the oldest item. Called by a thread that owns a turn.</summary>
    public KeyedItem? Take()
    {
        if (!IsShared)
        {
            return TakeOldest();
        }

        using (_lock.EnterScope())
        {
            return TakeOldest();
        }
    }

    /// <summary>Ends a turn that has found no item.</summary>
    /// <returns><see langword="false"/>: there are items again, and the caller has its turn again.</returns>
    public bool TryEndTurn()
    {
        Chaos.Point("KeyedLine.TryEndTurn, nothing found");
        int left = Interlocked.Decrement(ref _turns);
        Chaos.Point("KeyedLine.TryEndTurn, left");
        if (HasItems() && TryEnter())
        {
            return false;
        }

        if (left == 0)
        {
            Idle();
        }

        return true;
    }

    public override string ToString() => $"the sequencer on {Target.Scheduler.Name}";

    /// <summary>The error of a caller that finds the line full.</summary>
    public QueueFullException FullError() => new(string.Create(
        CultureInfo.InvariantCulture, $"The limit of {this} is reached: {_limit} items wait. The item was not queued. Wait for earlier items, or raise the limit."));

    /// <summary>The last turn has ended. By now there may be another one.</summary>
    protected virtual void Idle()
    {
    }

    private bool TryEnter()
    {
        int turns = Volatile.Read(ref _turns);
        while (turns < _most)
        {
            int seen = Interlocked.CompareExchange(ref _turns, turns + 1, turns);
            if (seen == turns)
            {
                return true;
            }

            turns = seen;
        }

        return false;
    }

    private bool HasItems()
    {
        if (Volatile.Read(ref _incoming) is not null)
        {
            return true;
        }

        if (!IsShared)
        {
            return false; // the turn that has taken items has taken all of them
        }

        using (_lock.EnterScope())
        {
            return _taken is not null;
        }
    }

    private KeyedItem? TakeOldest()
    {
        KeyedItem? item = _taken ?? TakeIncoming();
        _taken = item?.Next;
        return item;
    }

    private KeyedItem? TakeIncoming()
    {
        if (Volatile.Read(ref _incoming) is null)
        {
            return null;
        }

        KeyedItem? newest = Interlocked.Exchange(ref _incoming, null);
        KeyedItem? oldest = null;
        while (newest is not null)
        {
            (newest.Next, newest, oldest) = (oldest, newest.Next, newest);
        }

        return oldest;
    }
}
