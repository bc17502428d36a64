using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.Quwi;
using NativeThreading.Workloads.RoundTrip;
using NativeThreading.Workloads.Skynet;
using NativeThreading.Workloads.Tasks;
using NativeThreading.Workloads.Xtask;

namespace NativeThreading.Tables.Crowded;

/// <summary>The rows that every scene measures in its process: a choice from the tables of the same names, in rounds of milliseconds.</summary>
internal sealed class CrowdedRows : IDisposable
{
    private const int Callbacks = 64 * 1024;
    private const int Calls = 8 * 1024;
    private const int Leaves = 100_000;
    private const int Items = 1_000;
    private const int Workers = 4; // as in the table xtask

    private readonly OwnPool _pool = OwnPool.Lasting("crowded", Workers);
    private readonly List<IDisposable> _owned = [];

    public IReadOnlyList<CrowdedRow> All()
    {
        var builtInSize = new BuiltInPoolSize(Math.Max(Workers, Environment.ProcessorCount));
        _owned.Add(builtInSize);
        return
        [
            .. Quwi<GlobalForm<NativePool>, GlobalForm<BuiltInPool>>("global"),
            .. Quwi<LocalForm<NativePool>, LocalForm<BuiltInPool>>("local"),
            Tasks("sub-task-chain-awaited", TaskSets<NativePool>.SubTaskChainAwaited, TaskSets<BuiltInPool>.SubTaskChainAwaited),
            Tasks("sub-task-fan-out-awaited", TaskSets<NativePool>.SubTaskFanOutAwaited, TaskSets<BuiltInPool>.SubTaskFanOutAwaited),
            Tasks("continuation-fan-out", TaskSets<NativePool>.ContinuationFanOut, TaskSets<BuiltInPool>.ContinuationFanOut),
            Tasks("continuation-fan-out-when-all", TaskSets<NativePool>.ContinuationFanOutWhenAll, TaskSets<BuiltInPool>.ContinuationFanOutWhenAll),
            Tasks("yield-chain", TaskSets<NativePool>.YieldChain, TaskSets<BuiltInPool>.YieldChain),
            Tasks("async-chain-awaited", TaskSets<NativePool>.AsyncChainAwaited, TaskSets<BuiltInPool>.AsyncChainAwaited),
            new("skynet/items/100000", Native(() => Grow(new ItemTree<NativePool>())), BuiltIn(() => Grow(new ItemTree<BuiltInPool>()))),
            FanOut(),
            Batch(),
            RoundTrip(),
            Own(new TimerRounds()).Row(),
            Own(new OffloadRounds(_pool.Pool)).Row(),
        ];
    }

    public void Dispose()
    {
        foreach (IDisposable owned in Enumerable.Reverse(_owned))
        {
            owned.Dispose();
        }

        _pool.Dispose();
    }

    private static CrowdedSide Native(Func<long> round) => new(Contender.Native, round);

    private static CrowdedSide BuiltIn(Func<long> round) => new(Contender.ThreadPool, round);

    /// <summary>Few long chains and many short ones, few producers and many.</summary>
    private static IEnumerable<CrowdedRow> Quwi<TNative, TBuiltIn>(string queue)
        where TNative : struct, IForm
        where TBuiltIn : struct, IForm
    {
        foreach ((int depth, int parallelism) in ((int, int)[])[(1, 1), (2, 16), (16, 1), (64, 64)])
        {
            yield return new CrowdedRow($"quwi/{queue}/depth={depth}/parallelism={parallelism}",
                Native(() => Of<TNative>(depth, parallelism)), BuiltIn(() => Of<TBuiltIn>(depth, parallelism)));
        }

        static long Of<TForm>(int depth, int parallelism)
            where TForm : struct, IForm
        {
            QuwiRun.Measure<TForm>(depth, parallelism, Callbacks);
            return Callbacks;
        }
    }

    private static CrowdedRow Tasks(string set, Func<int, int, Task<long>> native, Func<int, int, Task<long>> builtIn)
    {
        const int depth = 16, parallelism = 16;
        return new CrowdedRow($"tasks/{set}/depth={depth}/parallelism={parallelism}",
            Native(() => Of<NativePool>(native)), BuiltIn(() => Of<BuiltInPool>(builtIn)));

        long Of<TPool>(Func<int, int, Task<long>> body)
            where TPool : struct, IPool
        {
            TasksRun.Measure<TPool>(set, body, depth, parallelism, Calls);
            return Calls;
        }
    }

    private static long Grow(SkynetTree tree)
    {
        long before = ExecutionCount.Total;
        long? sum = tree.Grow(Leaves, SkynetRun.Deadline);
        long executed = ExecutionCount.Total - before;
        return sum == SkynetTree.Sum(Leaves) && executed == SkynetTree.Nodes(Leaves)
            ? executed
            : throw new MeasurementException($"skynet: sum {sum}, {executed:N0} nodes executed instead of {SkynetTree.Nodes(Leaves):N0} (T122).");
    }

    /// <summary>A thousand items that increment a counter, queued one by one from outside, and a wait for all.</summary>
    private CrowdedRow FanOut()
    {
        var work = new ItemWork(increments: true);
        var ours = new WorkGroupItems(_pool.Pool, work, Items);
        var builtInWork = new ItemWork(increments: true);
        var builtIn = new BuiltInItems(builtInWork, Items);
        return new CrowdedRow($"fan-out/{Items}", Native(new GroupRounds<WorkGroupItems>(ours, work, Items, atOnce: false).Run),
            BuiltIn(new GroupRounds<BuiltInItems>(builtIn, builtInWork, Items, atOnce: false).Run)) { IsLatency = true, Note = GroupNote };
    }

    /// <summary>A thousand empty items, queued with one call where there is one.</summary>
    private CrowdedRow Batch()
    {
        var work = new ItemWork(increments: false);
        var ours = new WorkGroupItems(_pool.Pool, work, Items);
        var builtIn = new BuiltInItems(work, Items);
        return new CrowdedRow($"batch/{Items}", Native(new GroupRounds<WorkGroupItems>(ours, work, Items, atOnce: true).Run),
            BuiltIn(new GroupRounds<BuiltInItems>(builtIn, work, Items, atOnce: true).Run)) { IsLatency = true, Note = GroupNote };
    }

    private const string GroupNote = "Both pools have 4 threads. An operation is a round: a thousand items and a wait for all of them.";

    private CrowdedRow RoundTrip()
    {
        var native = Own(new TripRounds<NativePool>());
        var builtIn = Own(new TripRounds<BuiltInPool>());
        return new CrowdedRow("round-trip", Native(native.Run), BuiltIn(builtIn.Run))
        {
            IsLatency = true,
            Note = "One item from outside, waited for with a SemaphoreSlim.",
        };
    }

    private T Own<T>(T owned)
        where T : IDisposable
    {
        _owned.Add(owned);
        return owned;
    }
}

/// <summary>Rounds of so many items and a wait; each round checks what has run so far.</summary>
internal sealed class GroupRounds<TGroup>(TGroup group, ItemWork work, int items, bool atOnce)
    where TGroup : struct, IItemGroup
{
    // Two groups share one pool, whose count a group reports: so each round counts from its own start.
    public long Run()
    {
        long before = group.Executed, incrementsBefore = work.Count;
        group.Begin(items);
        if (atOnce)
        {
            group.QueueAll();
        }
        else
        {
            for (int i = 0; i < items; i++)
            {
                group.Queue(i);
            }
        }

        XtaskRun.Await(group);
        if (group.Executed - before < items || (work.Increments && work.Count - incrementsBefore != items))
        {
            throw new MeasurementException($"{typeof(TGroup)}: {group.Executed - before:N0} items were executed instead of {items:N0} (T122).");
        }

        return 1;
    }
}

/// <summary>Rounds of one item and a wait for it.</summary>
internal sealed class TripRounds<TPool> : IDisposable
    where TPool : struct, IPool
{
    private static readonly WaitCallback s_arrive = static state => ((TripRounds<TPool>)state!).Arrive();

    private readonly SemaphoreSlimWaiter _waiter = new();
    private long _arrivals;
    private long _trips;

    public long Run()
    {
        default(TPool).Queue(s_arrive, this);
        if (!_waiter.Wait(PoolExtensions.Deadline) || Volatile.Read(ref _arrivals) != ++_trips)
        {
            throw new MeasurementException($"{default(TPool).Name}: {_arrivals} of {_trips} items ran (T122).");
        }

        return 1;
    }

    public void Dispose() => _waiter.Dispose();

    private void Arrive()
    {
        Volatile.Write(ref _arrivals, _arrivals + 1);
        _waiter.Set();
    }
}
