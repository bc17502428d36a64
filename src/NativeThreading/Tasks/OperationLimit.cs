using NativeThreading.Platform;
using NativeThreading.Queues;

namespace NativeThreading.Tasks;

/// <summary>Limits how many operations of a pool are in flight (<see cref="NativeThreadPoolOptions.MaxConcurrentOperations"/>). Further operations
/// wait in a list, in the order in which their items had their turns, without a thread.</summary>
/// <remarks>An operation that completes passes its place to the next one, whose item is then queued. Any thread may call. Model:
/// native/models/operation_limit.pml.</remarks>
internal sealed class OperationLimit(int most)
{
    private readonly UninterruptedLock _lock = new();
    private readonly LinkedList<LimitedFunction> _waiting = []; // under the lock
    private int _inFlight; // under the lock

    /// <summary>The number of operations that wait for a place.</summary>
    public int WaitingCount
    {
        get
        {
            using (_lock.EnterScope())
            {
                return _waiting.Count;
            }
        }
    }

    /// <summary>Takes a place, or joins the list.</summary>
    public bool TryEnter(LimitedFunction function)
    {
        using (_lock.EnterScope())
        {
            if (_inFlight < most)
            {
                _inFlight++;
                return true;
            }

            function.Node = _waiting.AddLast(function);
            return false;
        }
    }

    /// <summary>Takes a function out of the list. <see langword="false"/>: it is no longer in the list.</summary>
    public bool TryLeave(LimitedFunction function)
    {
        using (_lock.EnterScope())
        {
            if (function.Node?.List is null)
            {
                return false;
            }

            _waiting.Remove(function.Node);
            return true;
        }
    }

    /// <summary>An operation has completed, or was found cancelled: its place passes to the next one.</summary>
    public void Leave()
    {
        LimitedFunction? next;
        using (_lock.EnterScope())
        {
            next = _waiting.First?.Value;
            if (next is null)
            {
                _inFlight--;
                return;
            }

            _waiting.RemoveFirst();
        }

        Chaos.Point("OperationLimit.Leave, place passed on");
        next.Enqueue();
    }

    /// <summary>A token has stopped the pool: cancels the waiting operations. Returns their number.</summary>
    public long Abandon(CancellationToken stopToken)
    {
        LimitedFunction[] waiting;
        using (_lock.EnterScope())
        {
            waiting = [.. _waiting];
            _waiting.Clear();
        }

        return Array.FindAll(waiting, function => function.TryAbandon(stopToken)).Length;
    }
}

/// <summary>The function of an operation that needs a place of an <see cref="OperationLimit"/> before it is called. It is the target of the delegate that
/// the operation has in place of the function.</summary>
/// <param name="pool">The pool.</param>
/// <param name="function">The function.</param>
/// <param name="flowed">The context that flows to the function, or <see langword="null"/>.</param>
/// <param name="options">The options of the operation, or <see langword="null"/>.</param>
internal sealed class LimitedFunction(NativeThreadPool pool, Func<Task> function, ExecutionContext? flowed, WorkView? options) : IItemSubject, IEntryCall
{
    private static readonly Action<object?> s_begin = static function => ((LimitedFunction)function!).BeginHere();

    private IOperation? _operation; // once it waits
    private bool _isOnCaller;

    /// <summary>The node of this function in the list; under the lock of the limit.</summary>
    public LinkedListNode<LimitedFunction>? Node { get; set; }

    /// <inheritdoc/>
    public Delegate? Subject => function;

    /// <inheritdoc/>
    bool IItemSubject.BeginsWork => true;

    private OperationLimit Limit => pool.OperationLimit!;

    /// <summary>The function that needs a place, if the delegate is one of a limited function.</summary>
    public static Delegate? Inner(Delegate called) => (called.Target as LimitedFunction)?.Subject;

    /// <summary>Takes a place for the operation, which then starts. Otherwise the operation waits, and keeps the pool from stopping.</summary>
    public bool TryEnter(IOperation operation)
    {
        if (_isOnCaller)
        {
            return true;
        }

        _operation = operation;
        if (Limit.TryEnter(this))
        {
            return true;
        }

        Chaos.Point("LimitedFunction.TryEnter, waits");
        pool.OpenOperations.AddFromOutside(operation.Task); // before this item ends
        if (pool.IsStopped && TryLeave())
        {
            return true; // the stop has already cancelled all other operations
        }

        if (operation.Task.IsCompleted && TryLeave())
        {
            pool.CancelledItems.Remove(); // it was cancelled before it was in the list
        }

        return false;
    }

    /// <summary>Queues the operation, which has a place now.</summary>
    public void Enqueue() => pool.EnqueueResumption(s_begin, this, flowed, preferLocal: false, options);

    /// <summary>Ends the wait. <see langword="false"/>: the operation does not wait.</summary>
    public bool TryLeave() => Limit.TryLeave(this);

    /// <summary>A full queue runs the operation on its caller: it needs no place.</summary>
    public void RunsOnCaller() => _isOnCaller = true;

    /// <inheritdoc/>
    public bool TryAbandon(CancellationToken stopToken) => _operation!.TryAbandon(stopToken);

    /// <summary>Called by the operation in place of the function.</summary>
    public Task Invoke()
    {
        Task? rest;
        try
        {
            rest = function();
        }
        catch
        {
            Leave();
            throw;
        }

        if (rest is null or { IsCompleted: true })
        {
            Leave();
        }
        else
        {
            rest.WhenEnded(static (_, limited) => ((LimitedFunction)limited!).Leave(), this);
        }

        return rest!;
    }

    private void BeginHere()
    {
        if (!_operation!.TryBegin())
        {
            Limit.Leave(); // cancelled
        }
    }

    /// <summary>Passes the place of the operation to the next one.</summary>
    public void Leave()
    {
        if (!_isOnCaller)
        {
            Limit.Leave();
        }
    }
}
