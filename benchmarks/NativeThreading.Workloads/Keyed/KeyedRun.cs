using System.Threading.Tasks.Dataflow;

namespace NativeThreading.Workloads.Keyed;

/// <summary>One run: so many items for each of so many keys, in turn, from outside the pool. The items of a key must not overlap.</summary>
/// <remarks>Who keeps something for each key creates it within the run, as a program would that meets new keys.</remarks>
internal sealed class KeyedRun
{
    private readonly Cell[] _cells;
    private readonly int _each;
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _left;

    private KeyedRun(int keys, int each)
    {
        (_each, _left) = (each, keys);
        _cells = new Cell[keys];
        for (int i = 0; i < keys; i++)
        {
            _cells[i] = new Cell(this);
        }
    }

    public static Sample Queue(int keys, int each)
    {
        var queue = new KeyedQueue<int>(NativePool.Pool);
        return Measure("KeyedQueue", keys, each, (key, cell) => queue.Queue(key, static cell => cell.Step(), cell));
    }

    public static Sample Sequencer(int each)
    {
        var sequencer = new Sequencer(NativePool.Pool);
        return Measure("Sequencer", 1, each, (_, cell) => sequencer.Queue(static cell => cell.Step(), cell));
    }

    /// <summary>With a task for each item, as the scheduler pair has.</summary>
    public static Sample Tasks(int keys, int each)
    {
        var queue = new KeyedQueue<int>(NativePool.Pool);
        return Measure("KeyedQueue.Run", keys, each, (key, cell) => queue.Run(key, cell.Action));
    }

    public static Sample Blocks(int keys, int each)
    {
        var blocks = new ActionBlock<Cell>?[keys];
        return Measure("ActionBlock", keys, each, (key, cell) =>
            (blocks[key] ??= new ActionBlock<Cell>(static cell => cell.Step())).Post(cell));
    }

    public static Sample Pairs(int keys, int each)
    {
        var pairs = new TaskScheduler?[keys];
        return Measure("ConcurrentExclusiveSchedulerPair", keys, each, (key, cell) => Task.Factory.StartNew(
            cell.Action, CancellationToken.None, TaskCreationOptions.DenyChildAttach, pairs[key] ??= new ConcurrentExclusiveSchedulerPair().ExclusiveScheduler));
    }

    private static Sample Measure(string name, int keys, int each, Action<int, Cell> queue)
    {
        var run = new KeyedRun(keys, each);
        Meter meter = Meter.Start();
        for (int i = 0; i < each; i++)
        {
            for (int key = 0; key < keys; key++)
            {
                queue(key, run._cells[key]);
            }
        }

        if (!run._done.Task.Wait(PoolExtensions.Deadline))
        {
            throw new MeasurementException($"{name}: the items did not run within {PoolExtensions.Deadline.TotalSeconds} s.");
        }

        Reading reading = meter.Stop();
        return Array.TrueForAll(run._cells, cell => cell.Count == each)
            ? reading.NanosecondsPer((long)keys * each)
            : throw new MeasurementException($"{name}: items of a key overlapped.");
    }

    /// <summary>What the items of a key change without a lock.</summary>
    private sealed class Cell
    {
        private readonly KeyedRun _run;

        public Cell(KeyedRun run)
        {
            _run = run;
            Action = Step;
        }

        public Action Action { get; }

        public int Count { get; private set; }

        public void Step()
        {
            if (++Count == _run._each && Interlocked.Decrement(ref _run._left) == 0)
            {
                _run._done.SetResult();
            }
        }
    }
}
