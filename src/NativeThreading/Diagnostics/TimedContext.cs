using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Queues;
using NativeThreading.Scheduling;
using NativeThreading.Tasks;
using NativeThreading.Tracing;

namespace NativeThreading.Diagnostics;

/// <summary>The context of an item whose time in the queues is measured: the time of queueing, around the item's own context. An
/// item that is not timed costs nothing more to run. While an observer exists, the same objects record the running items.</summary>
/// <param name="inner">The item's own context.</param>
/// <param name="queued">The time of queueing, in ticks of <see cref="Stopwatch"/>.</param>
internal sealed class TimedContext(object? inner, long queued) : ItemContext
{
    /// <summary>Surrounds an item of a pool that watches its items, if a listener or an observer exists.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static object? Around(NativeThreadPool pool, object? context, Action<object?> callback, object? state)
    {
        bool isObserved = Observes(pool, context, state);
        if (isObserved)
        {
            ObservedCall.NoteRawQueued(pool.Observation!, callback, state, OptionsOf(context));
        }

        return isObserved || IsTimed(pool) ? new TimedContext(context, Stopwatch.GetTimestamp()) : context;
    }

    /// <summary>Surrounds the items of a group, which have one context.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static object Around<TState>(NativeThreadPool pool, object context, Action<object?> callback, ReadOnlySpan<TState> states)
    {
        if (pool.Observation is not { IsOn: true } observation)
        {
            return IsTimed(pool) ? new TimedContext(context, Stopwatch.GetTimestamp()) : context;
        }

        foreach (TState _ in states)
        {
            ObservedCall.NoteRawQueued(observation, callback, null, null);
        }

        return new TimedContext(context, Stopwatch.GetTimestamp());
    }

    /// <summary>Reports to the observer that a stop has dropped an item.</summary>
    public static void NoteDropped(NativeThreadPool pool, in WorkItem item)
    {
        if (item.Context is TimedContext timed && timed.IsObservedIn(pool, item.State))
        {
            ObservedCall.NoteRawDropped(pool.Observation!, item.Callback!, item.State, timed.Options);
        }
    }

    private static bool IsTimed(NativeThreadPool pool) =>
        (pool.MeasuresQueueDuration && pool.Metrics.WantsQueueDuration) || NativeThreadingEventSource.Log.TracesItems || IsRecorded(pool);

    /// <summary>Whether the item is a piece of work that is not observed elsewhere, as calls of <c>Run</c> and turns of keyed queues are.</summary>
    private static bool Observes(NativeThreadPool pool, object? context, object? state) =>
        pool.Observation is { IsOn: true }
        && context is not Resumption
        && (state is Task task ? task.AsyncState is not IEntryCall && !EntryFunction.Is(task) && !QueuedTask.Continues(task) : context is not ContinuationContext && state is not IEntryCall);

    private bool IsObservedIn(NativeThreadPool pool, object? state) => Observes(pool, inner, state);

    public override bool MayBeDropped => AllowsDrop(inner);
    public override WorkView? Options => OptionsOf(inner);
    public override WorkGroup? Group => GroupOf(inner);

    public override bool Continues(Action<object?>? callback, object? state, NativeTaskScheduler scheduler) =>
        ContinuingItem.Continues(inner, callback, state, scheduler);

    /// <summary>Runs listeners, which are foreign code, between the take of the item and its callback (T138).</summary>
    public override void Run(Worker worker, Action<object?> callback, object? state)
    {
        NativeThreadPool pool = worker.Pool;
        long now = Stopwatch.GetTimestamp();
        TimeSpan waited = Stopwatch.GetElapsedTime(queued, now);
        NoteBegin(pool, waited);
        worker.ResetContextIfChanged(); // a change by a listener must not reach the item (T34)
        ItemRecord? record = IsRecorded(pool) ? worker.RecordItems() : null;
        record?.Waits.Add(waited);
        ItemRecord.Mark outer = record is null ? default : record.Begin(Options?.Label ?? ItemSubject.Of(callback, state), now);
        if (Observes(pool, inner, state))
        {
            (callback, state) = ObservedCall.Raw(pool.Observation!, callback, state, Options, queued);
        }

        try
        {
            worker.RunIn(inner, callback, state);
        }
        finally
        {
            record?.End(outer); // the item completes here, and must not be kept alive
            if (NativeThreadingEventSource.Log.TracesItems)
            {
                NativeThreadingEventSource.Log.WorkItemStop(pool.Name);
            }
        }
    }

    public override void RunElsewhere(Action<object?> callback, object? state) => RunElsewhere(inner, callback, state);

    public override void Drop(NativeThreadPool pool) => Drop(inner, pool);

    private static bool IsRecorded(NativeThreadPool pool) => pool.RecordsAllItems || Observation.RecordsItems;

    /// <summary>The item starts. Throws nothing: the item has been taken, and only its caller has it (T138).</summary>
    private static void NoteBegin(NativeThreadPool pool, TimeSpan waited)
    {
        if (pool.MeasuresQueueDuration)
        {
            pool.Metrics.Waited(pool, waited);
        }

        if (NativeThreadingEventSource.Log.TracesItems)
        {
            NativeThreadingEventSource.Log.WorkItemStart(pool.Name, (long)waited.TotalMicroseconds);
        }
    }
}
