using System.Runtime.CompilerServices;

namespace NativeThreading.Workers;

/// <summary>Running one item, and leaving the thread as it was found.</summary>
internal sealed unsafe partial class Worker
{
    // The context of a thread on which nothing was ever set: what Capture returns there, and what an item without a
    // context of its own runs in. Taken on the worker's own fresh thread.
    private ExecutionContext? _defaultContext;
    private WorkGroup? _group;
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
            RunIn(context, callback, state);
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

    /// <summary>Runs an item whose context is known.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void RunIn(object? context, Action<object?> callback, object? state)
    {
        if (context is ItemContext own)
        {
            own.Run(this, callback, state);
            return;
        }

        LeaveGroup();
        if (context is not null)
        {
            ExecutionContext.Restore(Unsafe.As<ExecutionContext>(context));
        }

        callback(state);
    }

    /// <summary>A watched item begins, behind what its listeners did. Returns what <see cref="EndTimed"/> takes.</summary>
    public bool BeginTimed()
    {
        if (ExecutionContext.Capture() != _defaultContext || SynchronizationContext.Current is not null)
        {
            ResetContext(); // what a listener left behind is not the item's (T34)
        }

        bool outer = _runsTimed;
        _runsTimed = true;
        return outer;
    }

    /// <summary>It has ended.</summary>
    public void EndTimed(bool outer) => _runsTimed = outer;

    /// <summary>Others may wait for the batch of a group that is not run any more.</summary>
    private void LeaveGroup()
    {
        if (_group is not null)
        {
            FlushGroup();
        }
    }

    /// <summary>The item of a group begins, whose completions are counted in batches.</summary>
    public void EnterGroup(WorkGroup group)
    {
        if (_group != group)
        {
            FlushGroup();
            _group = group;
        }
    }

    /// <summary>It has ended.</summary>
    public void EndGroupItem(WorkGroup group)
    {
        EnterGroup(group); // it may have waited, and others ran in between
        _pace.GroupCompleted++;
    }

    /// <summary>Reports the completions of the current group; a waiter may return as soon as it is done.</summary>
    internal void FlushGroup()
    {
        WorkGroup? group = _group;
        int completed = _pace.GroupCompleted;
        _group = null;
        _pace.GroupCompleted = 0;
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
