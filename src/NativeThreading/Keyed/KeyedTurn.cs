using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Tasks;

namespace NativeThreading.Keyed;

/// <summary>The right to run items of a line, and the item of the pool that does so. It lasts until it finds the line empty.</summary>
/// <remarks>A turn passes from thread to thread and belongs to one thread at a time. While an async function awaits, no thread has it.</remarks>
internal sealed class KeyedTurn(KeyedLine line) : IItemSubject
{
    /// <summary>The callback of the pool's item.</summary>
    public static readonly Action<object?> Callback = static turn => Unsafe.As<KeyedTurn>(turn!).RunItems(isOperation: false);

    private KeyedItem? _next; // already taken out of the line
    private KeyedItem? _awaiting;
    private TaskCompletionSource? _open; // completes when the turn has ended
    private bool _hasStarted;

    /// <inheritdoc/>
    public Delegate? Subject => Volatile.Read(ref _next)?.Subject;

    /// <inheritdoc/>
    public bool BeginsWork => true;

    private KeyedTarget Target => line.Target;

    /// <summary>Queues the turn for an item that was pushed.</summary>
    /// <param name="item">The item.</param>
    /// <param name="entry">Whether the pool may reject the item, and how its caller learns that.</param>
    public void Start(KeyedItem item, KeyedEntry entry)
    {
        if (entry == KeyedEntry.Always)
        {
            Target.Continue(this);
            return;
        }

        try
        {
            if (Target.Start(this, entry) is { } operation)
            {
                Observe(operation, item);
            }
        }
        catch (Exception exception) when (!_hasStarted)
        {
            if (Reject(item, exception) && entry == KeyedEntry.Throws)
            {
                throw;
            }
        }
    }

    /// <summary>Runs the turn as an operation of the pool.</summary>
    /// <returns>A task that completes when the turn has ended.</returns>
    public Task RunOperation()
    {
        var open = new TaskCompletionSource();
        _open = open;
        RunItems(isOperation: true);
        return open.Task;
    }

    /// <summary>The pool may reject an operation later, when it has waited for its permit or its thread.</summary>
    private void Observe(Task operation, KeyedItem item) => operation.WhenEnded(
        static (operation, state) =>
        {
            (KeyedTurn turn, KeyedItem item) = ((KeyedTurn, KeyedItem))state!;
            if (!turn._hasStarted)
            {
                turn.Reject(item, operation.Exception?.InnerException ?? TaskTransfer.ExceptionOf(operation));
            }
        },
        (this, item));

    /// <summary>The pool has rejected the turn. Its item fails, and the turn passes to the other items. <see langword="false"/>: another turn has the
    /// item.</summary>
    private bool Reject(KeyedItem item, Exception exception)
    {
        bool isTaken = item.TryTake();
        if (isTaken)
        {
            item.Refuse(exception);
        }

        PassOrEnd();
        return isTaken;
    }

    private void RunItems(bool isOperation)
    {
        bool isElsewhere = !isOperation && Target.IsElsewhere;
        _hasStarted = true;
        ExecutionContext? context = ExecutionContext.Capture();
        SynchronizationContext? synchronizationContext = SynchronizationContext.Current;
        RunSome(isElsewhere);
        SynchronizationContext.SetSynchronizationContext(synchronizationContext);
        if (context is not null && ExecutionContext.Capture() != context)
        {
            ExecutionContext.Restore(context);
        }
    }

    /// <summary>Runs items until the turn ends, awaits an item, or passes to the next line.</summary>
    private void RunSome(bool isElsewhere)
    {
        (int most, long ticks) = Target.Share(line.Weight);
        long started = 0;
        int ran = 0;
        int check = 1;
        while (true)
        {
            KeyedItem? item = _next ?? line.Take();
            _next = null;
            if (item is null)
            {
                if (TryEnd())
                {
                    return;
                }

                continue;
            }

            if (!item.TryTake() || (Target.StopReason(isElsewhere) is { } reason && item.Refuse(reason)))
            {
                continue;
            }

            SetContexts(item.Context);
            if (item.Run() is { } rest)
            {
                Await(item, rest);
                return;
            }

            if (++ran < check)
            {
                continue;
            }

            // The clock is read after 1, 2, 4, 8 items: a line of one item reads no clock, and a line of short items reads it a few times.
            check = Math.Min(2 * check, most);
            started = ran == 1 ? Stopwatch.GetTimestamp() : started;
            if (ran >= most || (ran > 1 && Stopwatch.GetTimestamp() - started > ticks))
            {
                PassOrEnd();
                return;
            }
        }
    }

    private void SetContexts(ExecutionContext? flowed)
    {
        ExecutionContext context = flowed ?? DefaultContext.OfAnyThread();
        if (ExecutionContext.Capture() != context)
        {
            ThreadCulture.Restore(context);
        }

        if (SynchronizationContext.Current != Target.Context)
        {
            SynchronizationContext.SetSynchronizationContext(Target.Context);
        }
    }

    /// <summary>Keeps the turn until an async function has completed. From here on another thread may have the turn.</summary>
    private void Await(KeyedItem item, Task rest)
    {
        _awaiting = item;
        Target.NoteOpen((_open ??= new TaskCompletionSource()).Task);
        Chaos.Point("KeyedTurn.Await, noted");
        rest.WhenEnded(
            static (rest, state) =>
            {
                var turn = (KeyedTurn)state!;
                KeyedItem item = turn._awaiting!;
                turn._awaiting = null;
                item.Complete(rest);
                turn.PassOrEnd();
            },
            this);
    }

    /// <summary>Queues the turn again, in the order of the pool, or ends it if no item waits.</summary>
    private void PassOrEnd()
    {
        while (true)
        {
            KeyedItem? next = line.Take();
            if (next is null)
            {
                if (TryEnd())
                {
                    return;
                }
            }
            else if (!next.IsTaken)
            {
                Volatile.Write(ref _next, next);
                Chaos.Point("KeyedTurn.PassOrEnd, more");
                Target.Continue(this);
                return;
            }
        }
    }

    private bool TryEnd()
    {
        if (!line.TryEndTurn())
        {
            return false;
        }

        _open?.TrySetResult();
        return true;
    }
}
