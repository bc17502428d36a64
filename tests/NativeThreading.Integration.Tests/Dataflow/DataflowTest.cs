using System.Threading.Tasks.Dataflow;

namespace NativeThreading.Integration.Dataflow;

/// <summary>Dataflow blocks on the pool's scheduler.</summary>
public abstract class DataflowTest : PoolTest
{
    protected static readonly DataflowLinkOptions Propagate = new() { PropagateCompletion = true };

    /// <param name="degree">Items at a time.</param>
    /// <param name="capacity">Items that a block holds; -1 for no limit.</param>
    protected ExecutionDataflowBlockOptions OnPool(int degree, int capacity = DataflowBlockOptions.Unbounded) => new()
    {
        TaskScheduler = Pool.Scheduler,
        MaxDegreeOfParallelism = degree,
        BoundedCapacity = capacity,
    };
}
