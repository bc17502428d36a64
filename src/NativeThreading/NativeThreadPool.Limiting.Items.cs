using NativeThreading.Diagnostics;
using NativeThreading.Limits;
using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>Raw items at the entry of a pool whose queue is limited.</summary>
public sealed partial class NativeThreadPool
{
    /// <summary>Publishes what waited in line.</summary>
    internal void PublishGranted(Action<object?> callback, object? state, object? context) =>
        External.Enqueue(callback, state, _watchesItems ? TimedContext.Around(this, context) : context);

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
        new(this, callback, state, context, isFromOutside: own is null && LongRunningThread.Pool != this);

    private bool TryEnqueueAdmitted(Worker? own, Action<object?> callback, object? state, object? context, bool preferLocal)
    {
        if (Places is not null)
        {
            if (!Places.TryEnter())
            {
                return false;
            }
        }

        try
        {
            if (Places is not null)
            {
                context = Admitted(context);
            }

            if (own is not null)
            {
                EnqueueOnWorker(own, callback, state, context, preferLocal);
            }
            else
            {
                External.Enqueue(callback, state, _watchesItems ? TimedContext.Around(this, context) : context);
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
}
