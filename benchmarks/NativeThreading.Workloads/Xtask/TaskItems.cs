namespace NativeThreading.Workloads.Xtask;

/// <summary>A task per item, kept; waited for all at once or one after the other in the order of queueing.</summary>
internal readonly struct TaskItems<TPool>(ItemWork work, int count, bool inOrder) : IItemGroup
    where TPool : struct, IPool
{
    private readonly Action _body = work.Increments ? () => ItemWork.Increment(work) : static () => { };
    private readonly Task[] _tasks = new Task[count];
    private readonly ExecutedCount _executed = new();

    public long Executed => _executed.Value;

    public void Begin(int announced)
    {
    }

    public void Queue(int index) => _tasks[index] = default(TPool).Run(_body);

    public void QueueAll()
    {
        for (int i = 0; i < _tasks.Length; i++)
        {
            Queue(i);
        }
    }

    public bool Wait()
    {
        if (inOrder)
        {
            foreach (Task task in _tasks)
            {
                if (!task.Wait(ItemWork.Deadline))
                {
                    return false;
                }
            }
        }
        else if (!Task.WhenAll(_tasks).Wait(ItemWork.Deadline))
        {
            return false;
        }

        _executed.Value += _tasks.Length;
        return true;
    }

    private sealed class ExecutedCount
    {
        public long Value { get; set; }
    }
}
