using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>Running one item, and leaving the thread after it as it was found.</summary>
internal sealed unsafe partial class Worker
{
    /// <summary>
    /// Runs items of a range, as many as a batch would have, and fewer if a check is due, or if an item has queued others: those
    /// come first. It leaves both to <see cref="RunOwn"/>, so that no frame of it keeps the range alive while other items run there.
    /// <see langword="false"/>: others have claimed all.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal bool RunSome(ItemRange range, int most)
    {
        WorkItem item = default;
        if (!range.TryTake(ref item))
        {
            return false;
        }

        Run(ref item);
        while ((_state.Attention == Attention.None || Attend()) && --most > 0 && --_pace.PicksLeft > 0 && PendingCount == 0 && range.TryTake(ref item))
        {
            if (range.IsSpent)
            {
                PassRequestOn(); // the items after it may have been hidden from others for a moment (T9)
            }

            Execute(item.Callback!, item.State, item.Context);
        }

        return true;
    }

    /// <summary>Runs an item if one was taken. Returns whether it was.</summary>
    private bool TryRun(bool taken, ref WorkItem item)
    {
        if (taken)
        {
            Run(ref item);
        }

        return taken;
    }

    /// <summary>Asks for another worker if more work is visible than this one is about to run.</summary>
    internal void PassRequestOn()
    {
        ulong word = _signal.Word;
        Chaos.Point("Worker.PassRequestOn, word read");
        if ((word & WorkerSignal.NeedsSlowPath) != 0 && _scan.SeesAny(word))
        {
            Chaos.Point("Worker.PassRequestOn, more seen");

            // Whatever moved here from elsewhere is published before the word is read again (T9).
            Interlocked.MemoryBarrier();
            _requests.Request(_signal.Word);
        }
    }

    /// <summary>Runs an item after a scan; a worker that is needed for more items is requested before that (T9).</summary>
    /// <remarks>Never inlined: the references of this frame to an item end with the item. The callers' frames live on.</remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void Run(ref WorkItem item)
    {
        EndLooking();
        PassRequestOn();
        (Action<object?> callback, object? state, object? context) = (item.Callback!, item.State, item.Context);
        item = default; // it lies in the caller's frame, which would keep it alive during the items that follow
        Execute(callback, state, context);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Execute(Action<object?> callback, object? state, object? context)
    {
        if (ReferenceEquals(context, _installed.Item) && _group.IsEmpty)
        {
            callback(state); // one without a context behind another one, or a resumption behind a resumption
        }
        else
        {
            RunIn(context, callback, state);
        }

        Completed();
    }

    /// <summary>Runs an item whose context is known.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void RunIn(object? context, Action<object?> callback, object? state)
    {
        if (_installed.Item is not null)
        {
            Install(null, null);
        }

        if (context is ItemContext own)
        {
            own.Run(this, callback, state);
            return;
        }

        _group.Leave();
        if (context is not null)
        {
            ThreadCulture.Restore(Unsafe.As<ExecutionContext>(context));
        }

        callback(state);
    }

    /// <summary>An item has completed. Resets the thread for the next item.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Completed()
    {
        _completed.Value++;
        ResetContextIfChanged();

        // An item may leave its thread with another name, priority or background flag, too (T35).
        Thread thread = _thread!;
        if (!ReferenceEquals(thread.Name, Name) || thread.Priority != ThreadPriority.Normal || !thread.IsBackground)
        {
            ThreadStarter.Reset(thread, Name); // thread statics are not reset
        }
    }

    /// <summary>
    /// An item may leave its thread with another context (T34). Capture costs little: a field of the
    /// current thread and two comparisons, inlined.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void ResetContextIfChanged()
    {
        if (ExecutionContext.Capture() != _defaultContext || SynchronizationContext.Current != _installed.Value)
        {
            ResetContext();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void ResetContext()
    {
        Install(null, null);
        ExecutionContext.Restore(_defaultContext!);
    }

    /// <summary>Sets what items of that context find; it stays until an item of another one comes, or one leaves another behind.</summary>
    internal void Install(Resumption? item, SynchronizationContext? value)
    {
        _installed.Item = item;
        _installed.Value = value;
        SynchronizationContext.SetSynchronizationContext(value);
    }
}
