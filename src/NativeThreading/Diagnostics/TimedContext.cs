using NativeThreading.Workers;

namespace NativeThreading.Diagnostics;

/// <summary>
/// The context of an item whose time in the queues is measured: the time of queueing, around the item's own context. An item
/// that is not timed costs nothing more to run.
/// </summary>
/// <param name="inner">The item's own context.</param>
/// <param name="queued">In ticks of <see cref="System.Diagnostics.Stopwatch"/>.</param>
internal sealed class TimedContext(object? inner, long queued) : ItemContext
{
    public override bool MayBeDropped => AllowsDrop(inner);

    public override WorkGroup? Group => GroupOf(inner);

    /// <summary>Runs listeners, which are foreign code, between the take of the item and its callback (T138).</summary>
    public override void Run(Worker worker, Action<object?> callback, object? state)
    {
        NativeThreadPool pool = worker.Pool;
        pool.NoteBegin(queued);
        bool outer = worker.BeginTimed(); // a timed item may help with another timed one
        try
        {
            worker.RunIn(inner, callback, state);
        }
        finally
        {
            worker.EndTimed(outer);
            pool.NoteEnd();
        }
    }

    public override void RunElsewhere(Action<object?> callback, object? state) => RunElsewhere(inner, callback, state);

    public override void Drop(NativeThreadPool pool) => Drop(inner, pool);
}
