namespace NativeThreading.Workloads.Tasks;

/// <summary>Steps that were executed on threads of the pool, of one of the parallel calls.</summary>
internal sealed class StepCount<TPool>
    where TPool : struct, IPool
{
    private long _value;

    public long Value => Volatile.Read(ref _value);

    /// <summary>For steps that follow each other. One on a foreign thread is missing at the end.</summary>
    public void Add()
    {
        if (default(TPool).IsHere)
        {
            Volatile.Write(ref _value, _value + 1);
        }
    }

    /// <summary>For steps that do not.</summary>
    public void AddInterlocked()
    {
        if (default(TPool).IsHere)
        {
            Interlocked.Increment(ref _value);
        }
    }

    public Task AddAndReturn(Task task)
    {
        // A parent counts after its child was queued, and the child may be counting at this moment.
        AddInterlocked();
        return task;
    }

    public async Task AddAndYield()
    {
        await Task.Yield();
        AddInterlocked();
    }
}
