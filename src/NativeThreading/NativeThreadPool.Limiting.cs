using NativeThreading.Limits;
using NativeThreading.Queues;
using NativeThreading.Tasks;
using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>Entry to a pool whose queue is limited.</summary>
public sealed partial class NativeThreadPool
{
    private long _rejected;

    /// <summary>How many items may wait, or <see langword="null"/> for any number.</summary>
    public int? QueueLimit => _options.QueueLimit;

    /// <summary>What becomes of a queueing call while <see cref="QueueLimit"/> items wait.</summary>
    public QueueFullMode QueueFullMode => _options.QueueFullMode;

    /// <summary>Items that were refused because the queue was full.</summary>
    internal long RejectedWorkItemCount => Volatile.Read(ref _rejected);

    /// <summary>The places of the queue, where it is limited.</summary>
    internal QueuePlaces? Places { get; }

    internal QueueFullException QueueFullError(string consequence) => new(Name, Places!.Limit, consequence);

    /// <summary>What a loop runs here: its thread does not block for a place.</summary>
    internal Task RunWithoutBlocking(Action work, CancellationToken cancellationToken) =>
        Places is null ? Run(work, cancellationToken) : RunAsync(work, cancellationToken);

    /// <inheritdoc cref="RunWithoutBlocking(Action, CancellationToken)"/>
    internal Task<TResult> RunWithoutBlocking<TResult>(Func<TResult> work, CancellationToken cancellationToken) =>
        Places is null ? Run(work, cancellationToken) : RunAsync(work, cancellationToken);

    /// <inheritdoc cref="RunWithoutBlocking(Action, CancellationToken)"/>
    internal Task RunWithoutBlocking(Func<Task> work, CancellationToken cancellationToken) =>
        Places is null ? Run(work, cancellationToken) : RunAsync(work, cancellationToken);

    /// <inheritdoc cref="RunWithoutBlocking(Action, CancellationToken)"/>
    internal Task<TResult> RunWithoutBlocking<TResult>(Func<Task<TResult>> work, CancellationToken cancellationToken) =>
        Places is null ? Run(work, cancellationToken) : RunAsync(work, cancellationToken);

    /// <summary>Publishes what waited in line.</summary>
    internal void PublishGranted(Action<object?> callback, object? state, object? context) =>
        External.Enqueue(callback, state, _watchesItems ? Watched(context) : context);

    /// <summary>Every entry call of a limited pool, and of any pool that is shutting down, from outside or from a worker.</summary>
    private void EnqueueGuarded(Action<object?> callback, object? state, bool flow, bool preferLocal)
    {
        Worker? own = BeforeGuardedEntry();
        object? context = FlowingContext(own, flow);
        if (!TryEnqueueAdmitted(own, callback, state, context, preferLocal))
        {
            EnqueueIntoFull(own, callback, state, context, flow);
        }
    }

    /// <summary>As <see cref="EnqueueGuarded"/>, but <see langword="false"/> where the limited queue is full.</summary>
    private bool TryEnqueueLimited(Action<object?> callback, object? state, bool preferLocal)
    {
        Worker? own = BeforeGuardedEntry();
        if (TryEnqueueAdmitted(own, callback, state, FlowingContext(own, flow: true), preferLocal))
        {
            return true;
        }

        Interlocked.Increment(ref _rejected);
        return false;
    }

    private ValueTask EnqueueAsync(Action<object?> callback, object? state, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        object? context;
        Worker? own;
        try
        {
            own = BeforeGuardedEntry();
            context = FlowingContext(own, flow: true);
            if (TryEnqueueAdmitted(own, callback, state, context, preferLocal: false))
            {
                return default;
            }

            if (QueueFullMode == QueueFullMode.Wait)
            {
                return new ValueTask(WaitingFor(own, callback, state, Admitted(context)).Join(cancellationToken));
            }

            if (QueueFullMode == QueueFullMode.Reject)
            {
                throw Rejection();
            }
        }
        catch (Exception exception) when (IsRefusal(exception))
        {
            return ValueTask.FromException(exception);
        }

        CallerRun.Run(this, callback, state, flow: true);
        return default;
    }

    /// <summary>As <see cref="EnqueueGuarded"/> for an item of a loop, which must not block its thread: it joins the line and goes on.</summary>
    private void EnqueueCapturedGuarded(Action<object?> callback, object? state, object? context, bool mayBlock)
    {
        Worker? own = BeforeGuardedEntry();
        if (TryEnqueueAdmitted(own, callback, state, context, preferLocal: false))
        {
            return;
        }

        if (QueueFullMode == QueueFullMode.Wait && !mayBlock)
        {
            WaitingFor(own, callback, state, Admitted(context)).JoinUnattended(CancellationToken.None);
            return;
        }

        EnqueueIntoFull(own, callback, state, context, flow: true);
    }

    /// <summary>
    /// The items of a group that come from outside. A pool that rejects takes all of them or none; one that waits takes
    /// them as there are places, which may be fewer than items.
    /// </summary>
    private void EnqueueBatchGuarded<TState>(Action<TState> callback, ReadOnlySpan<TState> states, object context, ref int published)
    {
        BeforeGuardedEntry();
        if (Places is null)
        {
            PublishBatch(callback, states, context, ref published);
            return;
        }

        object admitted = new AdmittedContext(Places, context);
        if (Places.TryEnter(states.Length))
        {
            try
            {
                PublishBatch(callback, states, admitted, ref published);
            }
            finally
            {
                for (int i = published; i < states.Length; i++)
                {
                    Places.Leave(); // out of memory
                }
            }

            return;
        }

        if (QueueFullMode == QueueFullMode.Reject)
        {
            throw Rejection(states.Length);
        }

        foreach (TState state in states)
        {
            EnqueueOneOfGroup(callback, state, context);
            published++;
        }
    }

    private void EnqueueOneOfGroup<TState>(Action<TState> callback, TState state, object context)
    {
        Action<object?> slotCallback = AsCallback(callback);
        object? slotState = AsState(callback, state);
        BeforeGuardedEntry();
        if (TryEnqueueAdmitted(own: null, slotCallback, slotState, context, preferLocal: false))
        {
            return;
        }

        if (QueueFullMode == QueueFullMode.Wait)
        {
            WaitingFor(own: null, slotCallback, slotState, Admitted(context)).JoinAndBlock(CancellationToken.None);
            return;
        }

        CallerRun.ThrowUnlessStackIsLeft(this);
        var item = new WorkItem { Callback = slotCallback, State = slotState, Context = context };
        CallerRun.Run(this, static item => OrphanedItem.Run((WorkItem)item!), item, flow: true);
    }

    /// <summary>Run and RunAsync.</summary>
    private TTask EnterRun<TDelegate, TTask>(LimitedRun<TDelegate, TTask> run, bool isAsync)
        where TDelegate : Delegate
        where TTask : Task
    {
        try
        {
            Worker? own = BeforeGuardedEntry();
            if (run.CancellationToken.IsCancellationRequested)
            {
                return run.Cancelled();
            }

            if (Places is null || Places.TryEnter())
            {
                TTask started = run.Create();
                run.Start();
                return started;
            }

            switch (QueueFullMode)
            {
                case QueueFullMode.Wait when isAsync || own is null:
                    return Wait(run, own, isAsync);
                case QueueFullMode.RunOnCaller:
                    CallerRun.ThrowUnlessStackIsLeft(this);
                    break;
                default:
                    throw Rejection();
            }
        }
        catch (Exception exception) when (isAsync && IsRefusal(exception))
        {
            return run.Failed(exception);
        }

        TTask outcome = run.Create();
        _openOperations.AddFromOutside(outcome);
        CallerRun.Run(this, run);
        return outcome;
    }

    private TTask Wait<TDelegate, TTask>(LimitedRun<TDelegate, TTask> run, Worker? own, bool isAsync)
        where TDelegate : Delegate
        where TTask : Task
    {
        TTask outcome = run.Create();
        WaitingItem item = WaitingFor(own, LimitedRun.RunTask, run, context: null);
        try
        {
            if (isAsync)
            {
                item.JoinUnattended(run.CancellationToken);
            }
            else
            {
                item.JoinAndBlock(run.CancellationToken);
            }
        }
        catch (OperationCanceledException) when (run.CancellationToken.IsCancellationRequested)
        {
            // So the task says.
        }
        catch (Exception exception)
        {
            // The caller gets the exception, not the task; the task lets go of the token.
            outcome.ContinueWith(
                static task => _ = task.Exception, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
            run.Refuse(exception);
            throw;
        }

        return outcome;
    }

    /// <summary>Returns the calling worker, if it is one of this pool. Throws before anything is taken or published.</summary>
    private Worker? BeforeGuardedEntry()
    {
        Worker? worker = Worker.Current;
        if (worker is not null && worker.Pool == this)
        {
            return worker;
        }

        ThrowIfShutDown();
        if (ThreadCount == 0)
        {
            StartFirstWorker();
        }

        return null;
    }

    private static object? FlowingContext(Worker? own, bool flow)
    {
        if (!flow)
        {
            return null;
        }

        return own is not null ? own.FlowingContext() : DefaultContext.Flowing();
    }

    private AdmittedContext Admitted(object? context) => context is null ? Places!.Unflowed : new AdmittedContext(Places!, context);

    private WaitingItem WaitingFor(Worker? own, Action<object?> callback, object? state, object? context) =>
        new(this, callback, state, context, isFromOutside: own is null);

    private bool TryEnqueueAdmitted(Worker? own, Action<object?> callback, object? state, object? context, bool preferLocal)
    {
        if (Places is not null)
        {
            if (!Places.TryEnter())
            {
                return false;
            }

            context = Admitted(context);
        }

        try
        {
            if (own is not null)
            {
                EnqueueOnWorker(own, callback, state, context, preferLocal);
            }
            else
            {
                External.Enqueue(callback, state, _watchesItems ? Watched(context) : context);
            }
        }
        catch (OutOfMemoryException)
        {
            Places?.Leave();
            throw;
        }

        if (own is null)
        {
            AfterOutsidePublication();
        }

        return true;
    }

    private void EnqueueIntoFull(Worker? own, Action<object?> callback, object? state, object? context, bool flow)
    {
        switch (QueueFullMode)
        {
            case QueueFullMode.Wait when own is null:
                WaitingFor(own, callback, state, Admitted(context)).JoinAndBlock(CancellationToken.None);
                break;
            case QueueFullMode.RunOnCaller:
                CallerRun.Run(this, callback, state, flow);
                break;
            default:
                throw Rejection();
        }
    }

    private QueueFullException Rejection(int items = 1)
    {
        Interlocked.Add(ref _rejected, items);
        return QueueFullError(
            QueueFullMode == QueueFullMode.Wait
                ? "a worker of the pool must not block until there is a place: QueueAsync and RunAsync wait without a thread."
                : items == 1 ? "the item was not queued." : $"none of the {items} items was queued.");
    }

    /// <summary>What a call that returns a task reports in the task.</summary>
    private static bool IsRefusal(Exception exception) =>
        exception is QueueFullException or ObjectDisposedException or OutOfMemoryException or ThreadStartException;
}
