using NativeThreading.Scheduling;

namespace NativeThreading.Limits;

/// <summary>The context of an item that holds a permit of a limited queue, around the context that it would have otherwise. It releases the
/// permit exactly once, before the item runs or is dropped. Items without a flowing context share one object.</summary>
internal sealed class AdmittedContext(Permits permits, object? inner) : ItemContext
{
    public override bool MayBeDropped => AllowsDrop(inner);
    public override WorkView? Options => OptionsOf(inner);
    public override WorkGroup? Group => GroupOf(inner);

    public override void Run(Worker worker, Action<object?> callback, object? state)
    {
        permits.Release();
        worker.RunIn(inner, callback, state);
    }

    public override void RunElsewhere(Action<object?> callback, object? state)
    {
        permits.Release();
        RunElsewhere(inner, callback, state);
    }

    public override void Drop(NativeThreadPool pool)
    {
        permits.Release();
        Drop(inner, pool);
    }
}
