namespace NativeThreading.Workloads.Tasks;

/// <summary>Steps that were executed, of one of the parallel calls.</summary>
internal sealed class StepCount
{
    private long _value;

    /// <summary>For steps that follow each other.</summary>
    public long Value
    {
        get => Volatile.Read(ref _value);
        set => Volatile.Write(ref _value, value);
    }

    public void AddInterlocked() => Interlocked.Increment(ref _value);

    public Task AddAndReturn(Task task)
    {
        // A parent counts after its child was queued, and the child may be counting at this moment.
        Interlocked.Increment(ref _value);
        return task;
    }

    public async Task AddAndYield()
    {
        await Task.Yield();
        Interlocked.Increment(ref _value);
    }
}
