using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>Hand-over: moves the items of a worker that leaves into the injector queue (T39).</summary>
internal static class HandOver
{
    public static void To(InjectorQueue injector, Worker worker)
    {
        if (worker.PendingCount != 0)
        {
            var items = new List<WorkItem>();
            worker.Queues.TakeAll(items);
            items.ForEach(item => injector.Enqueue(item.Callback!, item.State, item.Context));
        }
    }
}
