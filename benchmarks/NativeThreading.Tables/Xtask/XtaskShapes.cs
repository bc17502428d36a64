using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.Xtask;

namespace NativeThreading.Tables.Xtask;

/// <summary>The rows: how many items, how often in one run, and which contenders take part.</summary>
internal sealed class XtaskShapes : IDisposable
{
    private const int Workers = 4; // of the definitions, and libuv's default
    private const int ScalingItems = 10_000;
    private const int LibuvShare = 5; // of the iterations: its samples are long enough all the same

    private const string General =
        "Every pool has 4 threads, as defined, where the built-in one can have as few. us per iteration, CPU time of the whole process.";

    private readonly XtaskPeers _peers = new();
    private readonly Dictionary<int, OwnPool> _pools = [];

    public IEnumerable<Row> Rows() =>
    [
        OneByOne("submit-wait", "submit-wait/1", items: 1, iterations: 10_000, increments: false),
        .. Sizes(10_000).Select(s => OneByOne($"fan-out/{s.Items}", $"fan-out/{s.Items}", s.Items, s.Iterations, increments: true)),
        .. Sizes(1_000).Select(s => AllAtOnce(s.Items, s.Iterations)),
        .. Sizes(1_000).Select(s => InOrder(s.Items, s.Iterations)),
        .. Producers.Select(p => Concurrent("concurrent-submit", p, ConcurrentSubmit.WithThreadCreation, ConcurrentSubmit.WithThreadCreation,
            ConcurrentSubmit.WithThreadCreation)),
        .. Producers.Select(p => Concurrent("concurrent-submit-warm", p, ConcurrentSubmit.Warm, ConcurrentSubmit.Warm, ConcurrentSubmit.Warm)),
        .. Producers.Select(Scaling),
    ];

    public void Dispose()
    {
        _peers.Dispose();
        foreach (OwnPool pool in _pools.Values)
        {
            pool.Dispose();
        }
    }

    private static int[] Producers => [1, 2, 4, 8];

    private static IEnumerable<(int Items, int Iterations)> Sizes(int most)
    {
        // Samples of ten milliseconds and more: shorter ones would measure how a pool wakes from its pause between them.
        (int Items, int Iterations)[] all = [(10, 4_000), (100, 1_500), (1_000, 250), (10_000, 30)];
        return all.Where(s => s.Items <= most);
    }

    private delegate Sample Shape<TGroup>(TGroup group, ItemWork work, int iterations, int parameter)
        where TGroup : struct, IItemGroup;

    private OwnPool Pool(int workers)
    {
        if (!_pools.TryGetValue(workers, out OwnPool pool))
        {
            pool = OwnPool.Lasting($"xtask-{workers}", workers);
            _pools.Add(workers, pool);
        }

        return pool;
    }

    private Row OneByOne(string name, string libuv, int items, int iterations, bool increments) => Of(
        name, items, iterations, items, increments, libuv, Workers,
        XtaskRun.OneByOne, XtaskRun.OneByOne, XtaskRun.OneByOne);

    private Row AllAtOnce(int items, int iterations) => Of(
        $"batch/{items}", items, iterations, items, increments: false, $"batch/{items}", Workers,
        XtaskRun.AllAtOnce, XtaskRun.AllAtOnce, XtaskRun.AllAtOnce) with
    {
        Note = "batch: ours queues with one call, QueueRange, and every contender waits once for all. With a handle per item, waited for in order, "
            + "as defined: batch-in-order.",
    };

    private static Row InOrder(int items, int iterations)
    {
        Contender Of<TPool>(string name)
            where TPool : struct, IPool => new(name, () =>
        {
            var work = new ItemWork(increments: false);
            return XtaskRun.OneByOne(new TaskItems<TPool>(work, items, inOrder: true), work, iterations, items);
        });

        return new Row($"batch-in-order/{items}", "us", Better.Lower, Of<NativePool>(Contender.Native), Of<BuiltInPool>(XtaskPeers.Tasks))
        {
            Note = "batch-in-order: a Task per item on both sides, on the pools' default sizes. libuv has no handle to wait for.",
        };
    }

    private Row Concurrent(
        string name, int producers, Shape<WorkGroupItems> native, Shape<BuiltInItems> items, Shape<TaskItems<BuiltInPool>> tasks)
    {
        int iterations = 640 / producers;
        int count = producers * ConcurrentSubmit.ItemsPerProducer;
        return Of($"{name}/{producers}", count, iterations, producers, increments: false, $"{name}/{producers}", Workers, native, items, tasks) with
        {
            Note = "concurrent-submit: creating and joining the threads is inside the time, as defined (T121); -warm: they exist and sleep between rounds. "
                + "libuv: one loop per producer.",
        };
    }

    private Row Scaling(int workers)
    {
        const int iterations = 30;
        return Of($"worker-scaling/{workers}", ScalingItems, iterations, ScalingItems, increments: true, $"worker-scaling/{ScalingItems}", workers,
            XtaskRun.OneByOne, XtaskRun.OneByOne, XtaskRun.OneByOne) with
        {
            Note = "worker-scaling: every contender has that many threads; the built-in pool cannot have fewer than there are processors.",
        };
    }

    /// <summary>Where the built-in pool cannot be that small: as it is, or, where the size is what the row is about, not at all.</summary>
    private static IEnumerable<Contender> WithSize(int workers, bool isAboutSize, params Contender[] contenders) =>
        !BuiltInPoolSize.CanBe(workers) ? (isAboutSize ? [] : contenders) : contenders.Select(contender => contender with
        {
            Run = () =>
            {
                using var size = new BuiltInPoolSize(workers);
                return contender.Run();
            },
        });

    private Row Of(
        string name, int items, int iterations, int parameter, bool increments, string libuvRow, int workers,
        Shape<WorkGroupItems> native, Shape<BuiltInItems> builtIn, Shape<TaskItems<BuiltInPool>> tasks)
    {
        NativeThreadPool pool = Pool(workers).Pool;
        return new Row(name, "us", Better.Lower,
            Side(Contender.Native, work => native(new WorkGroupItems(pool, work, items), work, iterations, parameter)),
            [
                .. _peers.LibuvContender(libuvRow, workers, Math.Max(iterations / LibuvShare, 5), items),
                .. WithSize(workers, libuvRow.StartsWith("worker-scaling", StringComparison.Ordinal),
                    Side(Contender.ThreadPool, work => builtIn(new BuiltInItems(work, items), work, iterations, parameter)),
                    Side(XtaskPeers.Tasks, work => tasks(new TaskItems<BuiltInPool>(work, items, inOrder: false), work, iterations, parameter))),
            ])
        {
            Note = _peers.Missing is string missing ? $"{General} {missing}" : General,
        };

        Contender Side(string side, Func<ItemWork, Sample> run) => new(side, () => run(new ItemWork(increments)));
    }
}
