using System.Diagnostics;
using NativeThreading.Queues;

namespace NativeThreading.Workers;

/// <summary>A worker that waits inside an item for other items.</summary>
internal sealed unsafe partial class Worker
{
    private bool _waitsForGroup;

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
                if (IsProvenBlocked)
                {
                    _pool.RunsAgain(this); // it was the item that blocked, and it has ended
                }
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

    /// <summary>Marks the worker as waiting and asks for help with what is in the queues.</summary>
    public void BeginGroupWait()
    {
        Volatile.Write(ref _waitsForGroup, true);
        PassRequestOn();
    }

    /// <summary>Ends the mark; the worker runs again.</summary>
    public void EndGroupWait() => Volatile.Write(ref _waitsForGroup, false);

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
