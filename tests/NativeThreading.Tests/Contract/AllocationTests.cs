using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Contract;

/// <summary>Queueing and running an item allocates nothing, on any thread.</summary>
public sealed class AllocationTests : IDisposable
{
    private const int Items = 50_000;
    private const int Burst = 500;

    // Per run, not per item: what the runtime and the test runner do beside it. In an emulator that lasts for more rounds.
    private const long Noise = 16 * 1024;
    private const int Rounds = 20;

    private readonly NativeThreadPool _pool = Pools.WithThreads(1);
    private readonly Action<object> _action = static _ => { };
    private readonly WaitCallback _callback = static _ => { };
    private readonly Item _item = new();

    public enum Form
    {
        Callback,
        UnsafeCallback,
        Action,
        UnsafeAction,
        WorkItem,
        Continuation,
    }

    public static TheoryData<Form, bool, bool, bool> Forms()
    {
        var data = new TheoryData<Form, bool, bool, bool>();
        foreach (Form form in Enum.GetValues<Form>())
        {
            for (int bits = 0; bits < 8; bits++)
            {
                bool preferLocal = (bits & 1) != 0;
                if (!preferLocal || form >= Form.Action)
                {
                    data.Add(form, preferLocal, (bits & 2) != 0, (bits & 4) != 0);
                }
            }
        }

        return data;
    }

    public void Dispose() => _pool.Dispose();

    [Theory]
    [MemberData(nameof(Forms))]
    public void ItemAllocatesNothing(Form form, bool preferLocal, bool fromWorker, bool withAsyncLocal)
    {
        var local = new AsyncLocal<string?>();
        (long Own, long All) least = (long.MaxValue, long.MaxValue);
        void Measure()
        {
            local.Value = withAsyncLocal ? "set" : null;

            // The first rounds grow the queues to their size and start the worker; of the others the quietest counts.
            for (int round = 0; round < Rounds && (round < 2 || least.Own > 0 || least.All > Noise); round++)
            {
                (long own, long all) = fromWorker ? RoundOnWorker(form, preferLocal) : RoundFromOutside(form, preferLocal);
                least = round == 0 ? least : (Math.Min(least.Own, own), Math.Min(least.All, all));
            }
        }

        StartGate.Run(1, _ => Measure());
        Assert.Equal(0, least.Own);
        Assert.InRange(least.All, 0, Noise);
    }

    private (long Own, long All) RoundFromOutside(Form form, bool preferLocal)
    {
        // In bursts that a shard's segments hold: room for a longer queue is not kept for ever.
        long allBefore = GC.GetTotalAllocatedBytes(precise: true);
        long ownBefore = GC.GetAllocatedBytesForCurrentThread();
        for (int queued = 0; queued < Items; queued += Burst)
        {
            Queue(form, preferLocal, Burst);
            WaitWithoutAllocating();
        }

        long own = GC.GetAllocatedBytesForCurrentThread() - ownBefore;
        return (own, GC.GetTotalAllocatedBytes(precise: true) - allBefore);
    }

    private (long Own, long All) RoundOnWorker(Form form, bool preferLocal)
    {
        long own = 0;
        long allBefore = 0;
        _pool.OnWorker(() =>
        {
            allBefore = GC.GetTotalAllocatedBytes(precise: true);
            long ownBefore = GC.GetAllocatedBytesForCurrentThread();
            Queue(form, preferLocal, Items);
            own = GC.GetAllocatedBytesForCurrentThread() - ownBefore;
        });
        WaitWithoutAllocating();
        return (own, GC.GetTotalAllocatedBytes(precise: true) - allBefore);
    }

    private void Queue(Form form, bool preferLocal, int items)
    {
        for (int i = 0; i < items; i++)
        {
            if (form == Form.Continuation)
            {
                _pool.UnsafeQueueContinuation(_action, this, preferLocal);
                continue;
            }

            _ = form switch
            {
                Form.Callback => _pool.QueueUserWorkItem(_callback, this),
                Form.UnsafeCallback => _pool.UnsafeQueueUserWorkItem(_callback, this),
                Form.Action => _pool.QueueUserWorkItem(_action, this, preferLocal),
                Form.UnsafeAction => _pool.UnsafeQueueUserWorkItem(_action, this, preferLocal),
                _ => _pool.UnsafeQueueUserWorkItem(_item, preferLocal),
            };
        }
    }

    private void WaitWithoutAllocating()
    {
        long started = Stopwatch.GetTimestamp();
        for (var spinner = new SpinWait(); !_pool.Probe.IsQuiet; spinner.SpinOnce(sleep1Threshold: -1))
        {
            if (Stopwatch.GetElapsedTime(started) > Deadline.Time)
            {
                throw new TimeoutException("The pool did not become quiet.");
            }
        }
    }

    private sealed class Item : IThreadPoolWorkItem
    {
        public void Execute()
        {
        }
    }
}
