using NativeThreading.Workers;

namespace NativeThreading.Limits;

/// <summary>
/// The context of an item that holds a place in a limited queue, around the context it would have otherwise. It leaves the
/// place exactly once, before whatever becomes of the item. Items that flow nothing share one: the limit costs them no object.
/// </summary>
internal sealed class AdmittedContext(QueuePlaces places, object? inner) : ItemContext
{
    public override bool MayBeDropped => AllowsDrop(inner);

    public override WorkGroup? Group => GroupOf(inner);

    public override void Run(Worker worker, Action<object?> callback, object? state)
    {
        places.Leave();
        worker.RunIn(inner, callback, state);
    }

    public override void RunElsewhere(Action<object?> callback, object? state)
    {
        places.Leave();
        RunElsewhere(inner, callback, state);
    }

    public override void Drop(NativeThreadPool pool)
    {
        places.Leave();
        Drop(inner, pool);
    }
}
