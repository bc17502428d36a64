using System.Runtime.CompilerServices;
using NativeThreading.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Scheduling;

namespace NativeThreading;

// How an item enters the pool: from a worker or from outside, alone or many at once, new work or accepted work that continues.
public sealed partial class NativeThreadPool
{
    private readonly Resumption _resumption;

    private Worker? OwnWorker => Worker.Current is { } worker && worker.Pool == this ? worker : null;

    /// <summary>
    /// Queues a callback that continues an operation, with a context through which it resumes here the next time. Never
    /// rejected; if the pool has stopped, it runs on the built-in pool.
    /// </summary>
    /// <param name="callback">Called once.</param>
    /// <param name="state">Passed to it.</param>
    /// <param name="context">What flows to it; <see langword="null"/> for nothing, which allocates nothing.</param>
    /// <param name="preferLocal">From a worker of this pool: into its own deque; else into the global order.</param>
    /// <param name="options">The options of the operation, or <see langword="null"/>.</param>
    internal void EnqueueResumption(
        Action<object?> callback, object? state, ExecutionContext? context, bool preferLocal, WorkView? options = null) =>
        EnqueueAlways(callback, state, ResumptionIn(context, options), preferLocal);

    /// <summary>The context of an item that continues an operation.</summary>
    /// <param name="context">What flows to it, or <see langword="null"/>.</param>
    /// <param name="options">The options of the operation, or <see langword="null"/>.</param>
    internal Resumption ResumptionIn(ExecutionContext? context, WorkView? options = null) =>
        options is null
            ? context is null ? _resumption : new Resumption(this, context)
            : context is null ? options.Resumption : new ViewedResumption(this, context, options);

    /// <summary>
    /// The rest of an operation, whose first part returns now, keeps the pool from stopping. A worker notes it by itself; on other
    /// threads the pool has stopped, or the caller runs the operation and has noted it.
    /// </summary>
    internal void NoteOpen(Task rest) => OwnWorker?.NoteOpen(rest);

    /// <summary>Queues a task of the scheduler, or work that continues accepted work. Never rejected, and never throws after publishing (T36).</summary>
    internal void EnqueueAlways(Action<object?> callback, object? state, ItemContext? context, bool preferLocal)
    {
        if (IsStopped)
        {
            Leftovers.Settle(new WorkItem { Callback = callback, State = state, Context = context });
            return;
        }

        if (OwnWorker is { } worker && !ItemContext.HasPriority(context))
        {
            EnqueueOnWorker(worker, callback, state, context, preferLocal);
            return;
        }

        bool sorts = Injector.Sorts;
        try
        {
            EnqueueFromOutside(callback, state, context, sorts);
            if (!sorts && Injector.IsPaused)
            {
                SortHeld(); // the pause started meanwhile, and the monitor may have scanned the queue before the item was in it
            }
        }
        catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
        {
            // No thread could be started. In a continuation the framework would swallow the exception, and the async method would hang. So it
            // continues elsewhere.
            Leftovers.Settle(new WorkItem { Callback = callback, State = state, Context = context });
        }
    }

    /// <summary>
    /// Queues a callback in the global order with a context that was captured before. Rejected like every entry call.
    /// If it must wait and must not block, it waits without the caller.
    /// </summary>
    internal void EnqueueCaptured(Action<object?> callback, object? state, object? context, bool mayBlock)
    {
        Worker? worker = Worker.Current;
        if (worker is not null && worker.UnlimitedPool == this)
        {
            EnqueueOnWorker(worker, callback, state, context, preferLocal: false);
        }
        else if (State.Lifecycle.IsOpen)
        {
            EnqueueFromOutside(callback, state, context);
        }
        else
        {
            EnqueueGuarded(callback, state, context, flow: true, preferLocal: false, mayBlock);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Enqueue<TState>(Action<TState> callBack, TState state, bool flow, bool preferLocal) =>
        Enqueue(WorkItem.CallbackOf(callBack), WorkItem.StateOf(callBack, state), flow, preferLocal);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Enqueue(Action<object?> callback, object? state, bool flow, bool preferLocal)
    {
        Worker? worker = Worker.Current;
        if (worker is not null && worker.UnlimitedPool == this)
        {
            EnqueueOnWorker(worker, callback, state, flow ? worker.FlowingContext() : null, preferLocal);
            return;
        }

        object? context = flow ? DefaultContext.Flowing() : null;
        if (State.Lifecycle.IsOpen)
        {
            EnqueueFromOutside(callback, state, context);
        }
        else
        {
            EnqueueGuarded(callback, state, context, flow, preferLocal, mayBlock: true);
        }
    }

    /// <summary>As <see cref="EnqueueFromOutside"/>, for a pool with a limited queue or one that shuts down.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void EnqueueGuarded(Action<object?> callback, object? state, object? context, bool flow, bool preferLocal, bool mayBlock)
    {
        if (Admission is not null)
        {
            Admission.Enqueue(callback, state, context, flow, preferLocal, mayBlock);
            return;
        }

        BeforeEntry();
        EnqueueFromOutside(callback, state, context);
    }

    private bool TryEnqueue(Action<object?> callback, object? state, bool preferLocal)
    {
        if (Admission is not null)
        {
            return Admission.TryEnqueue(callback, state, DefaultContext.Flowing(), preferLocal);
        }

        Enqueue(callback, state, flow: true, preferLocal);
        return true;
    }

    internal ValueTask EnqueueAsync(Action<object?> callback, object? state, ViewedContext? context, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        if (Admission is not null)
        {
            return Admission.EnqueueAsync(callback, state, context, cancellationToken);
        }

        try
        {
            if (context is null)
            {
                Enqueue(callback, state, flow: true, preferLocal: false);
            }
            else
            {
                EnqueueViewed(callback, state, context, preferLocal: false);
            }

            return default;
        }
        catch (Exception exception) when (IsRefusal(exception))
        {
            return ValueTask.FromException(exception);
        }
    }

    /// <summary>The checks before every entry. Returns the calling worker, if it is one of this pool. Throws before anything is published.</summary>
    internal Worker? BeforeEntry()
    {
        if (OwnWorker is { } worker)
        {
            return worker;
        }

        if (LongRunningThread.Pool != this)
        {
            ThrowIfShutDown();
        }

        if (ThreadCount == 0)
        {
            Requests.StartFirstWorker();
        }

        return null;
    }

    /// <summary>Whether a call that returns a task stores this exception in the task.</summary>
    internal static bool IsRefusal(Exception exception) =>
        exception is QueueFullException or ObjectDisposedException or OutOfMemoryException or ThreadStartException;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void EnqueueOnWorker(Worker worker, Action<object?> callback, object? state, object? context, bool preferLocal)
    {
        worker.Enqueue(callback, state, Timed(context, callback, state), preferLocal);
        if (IsStopped)
        {
            Exit.HandOver(worker); // the token has stopped the pool while an item runs: items that it still queues run elsewhere
        }
    }

    /// <summary>Queues an item for a thread that is no worker, or one of a priority.</summary>
    /// <param name="callback">Called once.</param>
    /// <param name="state">Passed to it.</param>
    /// <param name="context">The context of the item.</param>
    /// <param name="sorts">Whether it goes to the items that continue work, where rescue threads find it at once, if it is such an item.</param>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void EnqueueFromOutside(Action<object?> callback, object? state, object? context, bool sorts = false)
    {
        try
        {
            if (ThreadCount == 0)
            {
                Requests.StartFirstWorker(); // throws if no thread can be started, before anything is published
            }

            Chaos.Point("NativeThreadPool.EnqueueFromOutside, admitted");
            if (sorts && (OwnWorker is not null || ContinuingItem.Continues(context, callback, state, Scheduler)))
            {
                Chaos.Point("NativeThreadPool.EnqueueFromOutside, sorted");
                Injector.EnqueueContinuing(State.Shares.GenerationAt(State.RescuersInUse), callback, state, Timed(context, callback, state));
            }
            else
            {
                Publish(callback, state, context);
            }

            AfterOutsidePublication();
        }
        catch (Exception exception) when (ThreadAbort.EndsProcess(exception))
        {
            // Never reached.
        }
    }

    /// <summary>Queues a raw item that has options. Rejected like every entry call.</summary>
    internal void EnqueueViewed(Action<object?> callback, object? state, ViewedContext context, bool preferLocal)
    {
        if (Admission is not null)
        {
            Admission.Enqueue(callback, state, context, flow: true, preferLocal: false, mayBlock: true);
        }
        else if (BeforeEntry() is { } worker && !ItemContext.HasPriority(context))
        {
            EnqueueOnWorker(worker, callback, state, context, preferLocal);
        }
        else
        {
            EnqueueFromOutside(callback, state, context, Injector.Sorts);
        }
    }

    /// <summary>Publishes an item in the queue of its priority. The caller then reads the word.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Publish(Action<object?> callback, object? state, object? context)
    {
        if (!ItemContext.HasPriority(context))
        {
            Injector.Enqueue(callback, state, Timed(context, callback, state));
            return;
        }

        Injector.EnqueuePrioritized(ItemContext.OptionsOf(context)!.Priority, callback, state, Timed(context, callback, state));
        Chaos.Point("NativeThreadPool.Publish, has a priority");
        State.Attract(Attention.Priorities, true);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private object? Timed(object? context, Action<object?> callback, object? state) =>
        _timesItems ? TimedContext.Around(this, context, callback, state) : context;

    internal void AfterOutsidePublication()
    {
        // The injector queue has ended with a full fence: pairs with Acknowledge, EndLinger and Announce.
        Chaos.Point("NativeThreadPool.AfterOutsidePublication");
        ulong word = Signal.Word;
        if ((word & WorkerSignal.NeedsSlowPath) != 0)
        {
            Requests.Request(word);
        }

        Chaos.Point("NativeThreadPool.AfterOutsidePublication, asked");
        if (IsStopped)
        {
            // The pool stopped between the caller's check and the publication: no worker is left to find the item.
            Leftovers.SettleAll();
        }

        GC.KeepAlive(this); // and with it the memory of the word
    }
}
