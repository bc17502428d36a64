using System.Runtime.CompilerServices;
using NativeThreading.Diagnostics;
using NativeThreading.Limits;
using NativeThreading.Tasks;

namespace NativeThreading.Workers;

/// <summary>Running one item, and leaving the thread as it was found.</summary>
internal sealed unsafe partial class Worker
{
    // The context of a thread on which nothing was ever set: what Capture returns there, and what an item without a
    // context of its own runs in. Taken on the worker's own fresh thread.
    private ExecutionContext? _defaultContext;
    private WorkGroup? _group;
    private int _groupCompleted;
    private bool _runsTimed;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Execute(Action<object?> callback, object? state, object? context)
    {
        if (context is null && _group is null)
        {
            callback(state);
        }
        else
        {
            ExecuteIn(context, callback, state);
        }

        Completed();
    }

    /// <summary>An item has ended. Leaves the thread to the next one as a fresh one would be.</summary>
    /// <param name="keepsContext">The next one has a synchronization context too, and sets it.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Completed(bool keepsContext = false)
    {
        _completed.Value++;

        // An item may leave its thread with another context (T34). Capture is cheaper than it looks: a field of the
        // current thread and two comparisons, inlined.
        if (ExecutionContext.Capture() != _defaultContext || (!keepsContext && SynchronizationContext.Current is not null))
        {
            ResetContext();
        }

        // And with another name, priority or background flag (T35).
        Thread thread = _thread!;
        if (!ReferenceEquals(thread.Name, Name) || thread.Priority != ThreadPriority.Normal || !thread.IsBackground)
        {
            ThreadStarter.Reset(thread, Name); // thread statics are not reset
        }
    }

    /// <summary>Runs an item whose way through the queues is watched. Listeners are foreign code, between take and run (T138).</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ExecuteTimed(TimedContext context, Action<object?> callback, object? state)
    {
        bool outer = _runsTimed; // a waiter that is watched helps with one that is
        _pool.NoteBegin(context);
        if (ExecutionContext.Capture() != _defaultContext || SynchronizationContext.Current is not null)
        {
            ResetContext(); // what a listener left behind is not the item's (T34)
        }

        _runsTimed = true;
        try
        {
            ExecuteIn(context.Inner, callback, state);
        }
        finally
        {
            _runsTimed = outer;
            _pool.NoteEnd();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ExecuteIn(object? context, Action<object?> callback, object? state)
    {
        if (context is TimedContext timed)
        {
            ExecuteTimed(timed, callback, state);
            return;
        }

        context = AdmittedContext.Leave(context);
        WorkGroup? group = context as WorkGroup;
        ExecutionContext? flowed = context as ExecutionContext;
        if (context is GroupContext both)
        {
            group = both.Group;
            flowed = both.Context;
        }

        if (_group != group)
        {
            // Completions are counted in batches; others may wait for the batch of a group that is not run any more.
            FlushGroup();
            _group = group;
        }

        if (context is Resumption resumption)
        {
            Resume(resumption, callback, state);
            return;
        }

        if (flowed is not null)
        {
            ExecutionContext.Restore(flowed);
        }

        if (group is null)
        {
            callback(state);
            return;
        }

        try
        {
            callback(state);
        }
        catch (Exception exception)
        {
            group.Failed(exception);
        }

        if (_group != group)
        {
            // The item waited, and others ran in between.
            FlushGroup();
            _group = group;
        }

        _groupCompleted++;
    }

    /// <summary>Reports the completions of the current group; a waiter may return as soon as it is done.</summary>
    internal void FlushGroup()
    {
        WorkGroup? group = _group;
        int completed = _groupCompleted;
        _group = null;
        _groupCompleted = 0;
        if (completed != 0)
        {
            group!.Completed(completed);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ResetContext()
    {
        SynchronizationContext.SetSynchronizationContext(null);
        ExecutionContext.Restore(_defaultContext!);
    }
}
