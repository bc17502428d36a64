using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Contract;

/// <summary>Queueing and running an item allocates nothing, on any thread.</summary>
public sealed class AllocationTests : IDisposable
{
    private const int Items = 50_000;
    private const int Burst = 500;

    /// <summary>Of all other threads together: less than the smallest object for every second item. What they do meanwhile grows with the time
    /// that a round takes, which in an emulator is long.</summary>
    private const long Noise = Items / 2 * 24;
    private const int Rounds = 20;

    private readonly NativeThreadPool _pool = Pools.WithThreads(1);
    private readonly Action<object> _action = static _ => { };
    private readonly WaitCallback _callback = static _ => { };
    private readonly Item _item = new();
    private readonly Reader _reader = new();
    private readonly Producer _producer;

    public AllocationTests() => _producer = new Producer(this);

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
        Allocated least = new(long.MaxValue, long.MaxValue, long.MaxValue);
        void Measure()
        {
            local.Value = withAsyncLocal ? "set" : null;

            // The first rounds grow the queues to their size, start the worker and compile; of the others the quietest counts.
            for (int round = 0; round < Rounds && (round < 2 || least.Queueing > 0 || least.Running > 0 || least.All > Noise); round++)
            {
                Allocated allocated = fromWorker ? RoundOnWorker(form, preferLocal) : RoundFromOutside(form, preferLocal);
                least = round == 0 ? least : least.Or(allocated);
            }
        }

        StartGate.Run(1, _ => Measure());
        Assert.Equal((0, 0), (least.Queueing, least.Running));
        Assert.InRange(least.All, 0, Noise);
    }

    private Allocated RoundFromOutside(Form form, bool preferLocal)
    {
        // In bursts that a shard's segments hold: room for a longer queue is not kept indefinitely.
        long allBefore = GC.GetTotalAllocatedBytes(precise: true);
        Reading before = ReadWorker();
        long ownBefore = GC.GetAllocatedBytesForCurrentThread();
        for (int queued = 0; queued < Items; queued += Burst)
        {
            Queue(form, preferLocal, Burst);
            WaitWithoutAllocating();
        }

        long own = GC.GetAllocatedBytesForCurrentThread() - ownBefore;
        return new(own, ReadWorker().Since(before), GC.GetTotalAllocatedBytes(precise: true) - allBefore);
    }

    private Allocated RoundOnWorker(Form form, bool preferLocal)
    {
        long allBefore = GC.GetTotalAllocatedBytes(precise: true);
        (_producer.Form, _producer.PreferLocal) = (form, preferLocal);
        _pool.UnsafeQueueUserWorkItem(_producer, preferLocal: false);
        WaitWithoutAllocating();
        return new(_producer.After.Bytes - _producer.Before, ReadWorker().Since(_producer.After), GC.GetTotalAllocatedBytes(precise: true) - allBefore);
    }

    private Reading ReadWorker()
    {
        _pool.UnsafeQueueUserWorkItem(_reader, preferLocal: false);
        WaitWithoutAllocating();
        return _reader.Last;
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

    /// <summary>What was allocated in one round, in bytes: by the thread that queues, by the worker that runs the items, by all of the process.</summary>
    private readonly record struct Allocated(long Queueing, long Running, long All)
    {
        public Allocated Or(Allocated other) => new(Math.Min(Queueing, other.Queueing), Math.Min(Running, other.Running), Math.Min(All, other.All));
    }

    /// <summary>What a thread has allocated so far.</summary>
    private readonly record struct Reading(int Thread, long Bytes)
    {
        public static Reading OfThisThread() => new(Environment.CurrentManagedThreadId, GC.GetAllocatedBytesForCurrentThread());

        /// <summary>As much as can be where another worker had to come: such a round shows nothing.</summary>
        public long Since(Reading before) => Thread == before.Thread ? Bytes - before.Bytes : long.MaxValue;
    }

    private sealed class Reader : IThreadPoolWorkItem
    {
        public Reading Last { get; private set; }

        public void Execute() => Last = Reading.OfThisThread();
    }

    /// <summary>Queues from the worker; the items run when it has ended.</summary>
    private sealed class Producer(AllocationTests test) : IThreadPoolWorkItem
    {
        public Form Form { get; set; }

        public bool PreferLocal { get; set; }

        public long Before { get; private set; }

        public Reading After { get; private set; }

        public void Execute()
        {
            Before = GC.GetAllocatedBytesForCurrentThread();
            test.Queue(Form, PreferLocal, Items);
            After = Reading.OfThisThread();
        }
    }
}
