using System.Diagnostics;
using NativeThreading.Queues;

namespace NativeThreading.Workers;

/// <summary>A worker that waits inside an item for other items.</summary>
internal sealed unsafe partial class Worker
{
    private bool _isBlocked;

    /// <summary>
    /// Runs matching items, of the own queues and of outside threads, until none is left or the time is over. Each runs
    /// as it would from the queue; afterwards the waiting item finds its own contexts again.
    /// </summary>
    public void Help<TArgument>(ItemPredicate<TArgument> match, TArgument argument, TimeSpan timeout, long started)
    {
        ExecutionContext? context = ExecutionContext.Capture();
        SynchronizationContext? synchronizationContext = SynchronizationContext.Current;
        WorkItem item = default;
        try
        {
            while ((timeout == Timeout.InfiniteTimeSpan || Stopwatch.GetElapsedTime(started) < timeout)
                && (TryTakeMatching(match, argument, ref item) || _pool.External.TryTakeMatching(match, argument, ref item)))
            {
                ResetContext();
                PassRequestOn();
                Execute(item.Callback!, item.State, item.Context);
            }
        }
        finally
        {
            FlushGroup();
            SynchronizationContext.SetSynchronizationContext(synchronizationContext);
            if (context is not null)
            {
                ExecutionContext.Restore(context);
            }
        }
    }

    /// <summary>
    /// Whether the worker is known to be blocked: it said so itself. What it left in its queues is for others.
    /// </summary>
    public bool IsBlocked => Volatile.Read(ref _isBlocked);

    /// <summary>Marks the worker as blocked and asks for help with what is in the queues.</summary>
    public void BeginBlocking()
    {
        Volatile.Write(ref _isBlocked, true);
        PassRequestOn();
    }

    /// <summary>Ends the mark; the worker runs again.</summary>
    public void EndBlocking() => Volatile.Write(ref _isBlocked, false);

    /// <summary>Publishes an item without looking for help; the caller looks once, after the last.</summary>
    public void Push(Action<object?> callback, object? state, object? context)
    {
        if (!_deque.TryPush(callback, state, context))
        {
            GrowAndPush(_deque, callback, state, context);
        }
    }

    /// <summary>Looks for help for what was pushed.</summary>
    public void AskForHelpIfPossible()
    {
        if ((Volatile.Read(ref *_word) & WorkerSignal.SomebodyCanBeHad) != 0)
        {
            AskForHelp();
        }
    }
}
