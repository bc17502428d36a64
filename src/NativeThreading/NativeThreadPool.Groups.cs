using NativeThreading.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Scheduling;

namespace NativeThreading;

// How the items of groups enter the pool: many at once, with one context.
public sealed partial class NativeThreadPool
{
    /// <summary>
    /// Queues one item per state, all with one context, and requests a worker once. Rejected like every entry call.
    /// A caller that catches an exception learns from <paramref name="published"/> how many items can run.
    /// </summary>
    internal void EnqueueBatch<TState>(Action<TState> callback, ReadOnlySpan<TState> states, GroupContext context, ref int published)
    {
        if (OwnWorker is { } worker)
        {
            object own = _timesItems ? TimedContext.Around(this, context, WorkItem.CallbackOf(callback), states)! : context;
            try
            {
                foreach (TState state in states)
                {
                    worker.Publish(WorkItem.CallbackOf(callback), WorkItem.StateOf(callback, state), own, preferLocal: true);
                    published++;
                }
            }
            finally
            {
                worker.AskForHelpIfNeeded(); // also for the items before the one that memory did not suffice for
            }

            if (IsStopped)
            {
                Exit.HandOver(worker);
            }

            return;
        }

        if (Admission is not null)
        {
            Admission.EnqueueBatch(callback, states, context, ref published);
            return;
        }

        BeforeEntry();
        PublishBatch(callback, states, context, context.Group, ref published);
    }

    /// <summary>As <see cref="EnqueueBatch"/>, for one item.</summary>
    internal void EnqueueOfGroup(Action<object?> callback, object? state, GroupContext context, ref int published)
    {
        if (_timesItems || !State.Lifecycle.IsOpen || ThreadCount == 0 || OwnWorker is not null)
        {
            EnqueueBatch(callback, [state], context, ref published);
            return;
        }

        try
        {
            PublishOfGroup(callback, state, context);
            published++;
            context.Group.WakeSleepers(); // the fence is that of the injector queue
            AfterOutsidePublication();
        }
        catch (Exception exception) when (ThreadAbort.EndsProcess(exception))
        {
            // Never reached.
        }
    }

    /// <summary>Publishes an item of a group, and a repeated one as one.</summary>
    private void PublishOfGroup(Action<object?> callback, object? state, object context)
    {
        if (context is GroupContext own && own.CallOf(callback) is { } repeated)
        {
            Injector.Enqueue(repeated, state);
        }
        else
        {
            Injector.Enqueue(callback, state, context);
        }
    }

    internal void PublishBatch<TState>(
        Action<TState> callback, ReadOnlySpan<TState> states, object context, WorkGroup group, ref int published)
    {
        context = _timesItems ? TimedContext.Around(this, context, WorkItem.CallbackOf(callback), states)! : context;
        try
        {
            while (states.Length >= QueueTuning.ShortestRange)
            {
                ReadOnlySpan<TState> part = states[..Math.Min(states.Length, QueueTuning.LongestRange)];
                Injector.EnqueueRange(ItemRange.Of(callback, part, context));
                published += part.Length;
                states = states[part.Length..];
            }

            foreach (TState state in states)
            {
                PublishOfGroup(WorkItem.CallbackOf(callback), WorkItem.StateOf(callback, state), context);
                published++;
            }
        }
        catch (Exception exception) when (ThreadAbort.EndsProcess(exception))
        {
            // Never reached.
        }
        finally
        {
            // Also for the items before the one that memory did not suffice for. The fence is that of the injector queue.
            group.WakeSleepers();
            AfterOutsidePublication();
        }
    }
}
