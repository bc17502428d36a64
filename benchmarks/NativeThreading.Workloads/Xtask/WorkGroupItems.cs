namespace NativeThreading.Workloads.Xtask;

/// <summary>Ours: a <see cref="WorkGroup"/>, whose pool counts what it has completed.</summary>
internal readonly struct WorkGroupItems : IItemGroup
{
    private readonly WorkGroup _group;
    private readonly ItemWork _work;
    private readonly Action<ItemWork> _callback;
    private readonly ItemWork[] _states;
    private readonly long _completedBefore;

    public WorkGroupItems(NativeThreadPool pool, ItemWork work, int count)
    {
        _group = new WorkGroup(pool);
        _work = work;
        _callback = work.Increments ? ItemWork.Increment : ItemWork.Nothing;
        _states = [.. Enumerable.Repeat(work, count)];
        _completedBefore = pool.CompletedWorkItemCount;
    }

    public long Executed => _group.Pool.CompletedWorkItemCount - _completedBefore;

    public void Begin(int count)
    {
    }

    public void Queue(int index) => _group.Queue(_callback, _work);

    public void QueueAll() => _group.QueueRange(_callback, _states);

    public bool Wait() => _group.Wait(ItemWork.Deadline);
}
