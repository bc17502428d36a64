using NativeThreading.Async;
using NativeThreading.Limits;
using NativeThreading.Queues;
using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>What loops and groups queue, at the entry of a pool whose queue is limited.</summary>
public sealed partial class NativeThreadPool
{
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
        CallerRun.Run(this, static item => OrphanedItem.Run((WorkItem)item!, handler: null), item, flow: true);
    }
}
