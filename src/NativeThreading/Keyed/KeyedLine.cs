using System.Globalization;
using NativeThreading.Platform;
using NativeThreading.Queues;

namespace NativeThreading.Keyed;

/// <summary>The waiting items of one key. Turns run them in the order in which they were pushed. The number of turns is limited.</summary>
/// <remarks>
/// <para>Producers push under a lock, which the lines of a shard share. If a line has too few turns, the push enters one, and the producer queues the
/// turn on the pool. A single turn takes all items at once under the lock, and then runs them without the lock. Several turns take one item each.</para>
/// <para>A turn that finds no item ends under the lock, so no item is left. Model: native/models/keyed_line.pml.</para>
/// </remarks>
internal class KeyedLine
{
    private readonly UninterruptedLock _lock;
    private readonly int _most;
    private readonly int _limit;
    private KeyedItems _pushed; // guarded by the lock
    private KeyedItems _taken; // owned by the single turn
    private KeyedItem? _starter; // owned by the single turn, which runs it first
    private CallbackItem? _callback; // the last callback of the single turn
    private int _turns; // guarded by the lock
    private int _waiting;

    /// <param name="target">The scheduler that runs the turns.</param>
    /// <param name="guard">The lock of the line.</param>
    /// <param name="most">The number of turns that may exist at once.</param>
    /// <param name="limit">The number of items that may wait; <see cref="int.MaxValue"/> if there is no limit.</param>
    /// <param name="weight">The share of one turn before other lines have their turns.</param>
    public KeyedLine(KeyedTarget target, UninterruptedLock guard, int most, int limit, int weight) =>
        (Target, _lock, _most, _limit, Weight) = (target, guard, most, limit, weight);

    public KeyedTarget Target { get; }

    public int Weight { get; }

    /// <summary>Whether several turns may be at work at once.</summary>
    public bool IsShared => _most != 1;

    /// <summary>Pushes an item. The caller holds the lock.</summary>
    /// <param name="work">The item.</param>
    /// <param name="starter">The item, if the push has entered a turn. The caller owns the turn, and must queue it.</param>
    /// <returns><see langword="false"/> if as many items wait as the limit allows.</returns>
    /// <exception cref="InvalidOperationException">The caller would wait for itself.</exception>
    public bool Push(in WorkItem work, out KeyedItem? starter)
    {
        starter = null;
        KeyedItem? item = KeyedItem.From(work);
        if (item is { IsCall: true })
        {
            KeyedItem.ThrowIfInside(this);
        }

        bool counts = _limit != int.MaxValue && item is not { ContinuesWork: true };
        if (counts && Volatile.Read(ref _waiting) >= _limit)
        {
            return false;
        }

        bool enters = _turns < _most;
        bool isFirst = enters && !IsShared; // a line without a turn is empty
        if (!isFirst)
        {
            _pushed.Reserve();
        }

        if (item is not null && !item.TryJoin(this))
        {
            return true;
        }

        if (enters)
        {
            starter = item ??= new CallbackItem().Of(work, this);
            _turns++;
        }

        if (isFirst)
        {
            _starter = item;
        }
        else
        {
            _pushed.Add(item?.Work ?? work);
        }

        if (counts)
        {
            Interlocked.Increment(ref _waiting);
        }

        Chaos.Point("KeyedLine.Push, pushed");
        return true;
    }

    /// <summary>Pushes an item, and queues the turn that it needs.</summary>
    /// <returns><see langword="false"/> if as many items wait as the limit allows.</returns>
    public bool TryPush(in WorkItem work, KeyedEntry entry)
    {
        bool isPushed;
        KeyedItem? starter;
        using (_lock.EnterScope())
        {
            isPushed = Push(work, out starter);
        }

        if (starter is not null)
        {
            new KeyedTurn(this).Start(starter, entry);
        }

        return isPushed;
    }

    /// <summary>Adds the waiting tasks of a scheduler, for debuggers. A snapshot.</summary>
    public void CopyTasks(List<Task> tasks)
    {
        Add(Volatile.Read(ref _starter));
        _taken.ForEach(Add);
        _pushed.ForEach(Add);

        void Add(KeyedItem? item)
        {
            if (item is TaskItem { IsTaken: false } task)
            {
                tasks.Add(task.Task);
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
        if (IsShared)
        {
            using (_lock.EnterScope())
            {
                return _pushed.TryTake(out WorkItem next) ? KeyedItem.From(next) ?? new CallbackItem().Of(next, this) : null;
            }
        }

        if (_starter is { } starter)
        {
            _starter = null;
            return starter;
        }

        return _taken.TryTake(out WorkItem work) || (TakePushed() && _taken.TryTake(out work)) ? KeyedItem.From(work) ?? OwnCallback().Of(work, this) : null;
    }

    /// <summary>Ends a turn that has found no item.</summary>
    /// <returns><see langword="false"/>: there are items again, and the caller keeps its turn.</returns>
    public bool TryEndTurn()
    {
        Chaos.Point("KeyedLine.TryEndTurn, nothing found");
        using (_lock.EnterScope())
        {
            if (!_pushed.IsEmpty)
            {
                return false;
            }

            _turns--;
            if (_turns == 0)
            {
                OnIdle();
            }

            return true;
        }
    }

    public override string ToString() => $"the sequencer on {Target.Scheduler.Name}";

    /// <summary>The error of a caller that finds the line full.</summary>
    public QueueFullException FullError() => new(string.Create(
        CultureInfo.InvariantCulture, $"The limit of {this} is reached: {_limit} items wait. The item was not queued. Wait for earlier items, or raise the limit."));

    /// <summary>The last turn has ended. The lock is held.</summary>
    protected virtual void OnIdle()
    {
    }

    private bool TakePushed()
    {
        if (_pushed.IsEmpty)
        {
            return false; // a read without the lock: TryEndTurn reads again
        }

        Chaos.Point("KeyedLine.TakePushed, seen");
        using (_lock.EnterScope())
        {
            (_taken, _pushed) = (_pushed, _taken);
            return true;
        }
    }

    /// <summary>The item that the single turn uses for each callback, unless a call of the last one refers to it.</summary>
    private CallbackItem OwnCallback() => _callback is { IsRemembered: false } own ? own : _callback = new CallbackItem();
}
