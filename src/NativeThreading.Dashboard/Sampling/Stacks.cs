using NativeThreading.Dashboard.Json;
using NativeThreading.Diagnostics;

namespace NativeThreading.Dashboard.Sampling;

/// <summary>What each worker runs and what it waits in. Not its frames: the runtime does not show those of another thread inside the
/// process without stopping all of it (docs/guides/observe.md).</summary>
internal static class Stacks
{
    public static StacksSample Take(TimeProvider clock)
    {
        using var observer = new ThreadObserver(); // of its own: the samples of others lack nothing
        return new StacksSample(
            1,
            clock.GetUtcNow().UtcDateTime,
            [.. from pool in observer.TakeSnapshot().Pools
                from worker in pool.Workers
                let of = SampleMaker.Of(worker)
                select new ThreadSample(pool.Name, of.Name, of.State, of.Item, of.WaitsIn)]);
    }
}
