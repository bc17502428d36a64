using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Scheduling;
using NativeThreading.Tasks;
using NativeThreading.Tracing;

namespace NativeThreading.Diagnostics;

/// <summary>The context of an item whose time in the queues is measured: the time of queueing, around the item's own context. An
/// item that is not timed costs nothing more to run. While an observer exists, the same objects record what runs.</summary>
/// <param name="inner">What the item's context would be otherwise.</param>
/// <param name="queued">In ticks of <see cref="Stopwatch"/>.</param>
internal sealed class TimedContext(object? inner, long queued) : ItemContext
{
    /// <summary>Surrounds an item of a pool that watches its items, if a listener or an observer exists.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static object? Around(NativeThreadPool pool, object? context) =>
        (pool.MeasuresQueueDuration && pool.Metrics.WantsQueueDuration) || NativeThreadingEventSource.Log.TracesItems || IsRecorded(pool)
            ? new TimedContext(context, Stopwatch.GetTimestamp())
            : context;

    public override bool MayBeDropped => AllowsDrop(inner);
    public override ItemOptions? Options => OptionsOf(inner);
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
        worker.ResetContextIfChanged(); // what a listener left behind is not the item's (T34)
        ItemRecord? record = IsRecorded(pool) ? worker.RecordItems() : null;
        record?.Waits.Add(waited);
        ItemRecord.Mark outer = record is null ? default : record.Begin(Options?.Label ?? ItemSubject.Of(callback, state), now);
        try
        {
            worker.RunIn(inner, callback, state);
        }
        finally
        {
            record?.End(outer); // the item ends here, and nothing may keep it alive
            if (NativeThreadingEventSource.Log.TracesItems)
            {
                NativeThreadingEventSource.Log.WorkItemStop(pool.Name);
            }
        }
    }

    public override void RunElsewhere(Action<object?> callback, object? state) => RunElsewhere(inner, callback, state);

    public override void Drop(NativeThreadPool pool) => Drop(inner, pool);

    private static bool IsRecorded(NativeThreadPool pool) => pool.RecordsAllItems || Observation.RecordsItems;

    /// <summary>The item begins. Throws nothing: it has been taken, and only its caller has it (T138).</summary>
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
