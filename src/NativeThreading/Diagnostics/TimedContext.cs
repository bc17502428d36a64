using NativeThreading.Workers;

namespace NativeThreading.Diagnostics;

/// <summary>
/// What surrounds an item whose way through the queues is watched: when it was queued, and what else surrounds it. It
/// takes the item's third word, which is empty or an object anyway, so that an item that is not watched costs nothing
/// more where it is run.
/// </summary>
/// <param name="inner">What the item's context would be otherwise.</param>
/// <param name="queued">In ticks of <see cref="System.Diagnostics.Stopwatch"/>.</param>
internal sealed class TimedContext(object? inner, long queued) : ItemContext
{
    public override bool MayBeDropped => AllowsDrop(inner);

    public override WorkGroup? Group => GroupOf(inner);

    /// <summary>Listeners are foreign code, between take and run (T138).</summary>
    public override void Run(Worker worker, Action<object?> callback, object? state)
    {
        NativeThreadPool pool = worker.Pool;
        pool.NoteBegin(queued);
        bool outer = worker.Carrier.BeginTimed(); // a waiter that is watched helps with one that is
        try
        {
            worker.RunIn(inner, callback, state);
        }
        finally
        {
            worker.Carrier.EndTimed(outer);
            pool.NoteEnd();
        }
    }

    public override void RunElsewhere(Action<object?> callback, object? state) => RunElsewhere(inner, callback, state);

    public override void Drop(NativeThreadPool pool) => Drop(inner, pool);
}
