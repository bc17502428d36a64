using System.Runtime.InteropServices;

namespace NativeThreading.Workloads.Quwi;

/// <summary>A task on the pool under test that queues its share of the chains and waits until all have ended.</summary>
internal sealed class Producer(int callbacks, int depth)
{
    // Continuations run where the last step ran: the waiter sends nothing through either pool.
    private readonly TaskCompletionSource _done = new();
    private PaddedCounter _remaining = new() { Value = callbacks };

    /// <summary>Callbacks that have not been executed; negative if some ran twice.</summary>
    public long Remaining => Interlocked.Read(ref _remaining.Value);

    public Task Produce<TForm>()
        where TForm : struct, IForm
    {
        for (int chains = callbacks / depth; chains > 0; chains--)
        {
            TForm.Queue(new Chain(this, depth));
        }

        return _done.Task;
    }

    public void Finished(int runs)
    {
        if (Interlocked.Add(ref _remaining.Value, -runs) == 0)
        {
            _done.TrySetResult();
        }
    }

    /// <summary>A cache line of its own, and the one that the prefetcher fetches with it, on either side.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct PaddedCounter
    {
        [FieldOffset(128)]
        public long Value;
    }
}
