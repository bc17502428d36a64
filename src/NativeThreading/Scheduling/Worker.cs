using System.Globalization;
using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Tasks;

namespace NativeThreading.Scheduling;

/// <summary>
/// One worker: a thread, and the queues that it serves first. Here are its identity, queueing, and the thread's life. Worker.Loop.cs has
/// what it does while it finds items, <see cref="IdleLoop"/> what it does until it has more.
/// </summary>
internal sealed unsafe partial class Worker : IWatched
{
    [ThreadStatic]
    private static Worker? t_current;

    private readonly PoolState _state;
    private readonly ThreadRoster _roster;
    private readonly WorkerRequests _requests;
    private readonly WorkerExit _exit;
    private readonly WorkerSignal _signal;
    private readonly ulong* _word;
    private readonly QueueScan _scan;
    private readonly Thief _thief;
    private readonly InjectorFetch _injector;
    private readonly Priorities _priorities;
    private readonly WakeThrottle _throttle;

    // The context of a thread on which nothing was ever set: what Capture returns there, and what an item without a
    // context of its own runs in. Taken on the worker's own fresh thread.
    private ExecutionContext? _defaultContext;
    private Thread? _thread;
    private IdleLoop? _idle; // from the start of its thread on; a rescue thread has none
    private WorkerOperations? _operations;
    private ItemRecord? _record;

    // Each on cache lines of its own; the queues' first line is only read.
    private WorkerQueues _queues = new();
    private OwnCounter _completed;
    private Pace _pace = Pace.AtOnce;
    private GroupTally _group;
    private InstalledContext _installed;
    private PaddedIndex _looks;

    public Worker(NativeThreadPool pool, int index, bool isRescue = false)
    {
        Pool = pool;
        IsRescue = isRescue;
        _looks.Value = isRescue ? 0 : 1;
        UnlimitedPool = pool.QueueLimit is null ? pool : null;
        _state = pool.State;
        (_roster, _requests, _exit) = (pool.Roster, pool.Requests, pool.Exit);
        _signal = _state.Signal;
        _word = _signal.WordAddress;
        Index = index;
        Name = string.Concat(pool.Name, isRescue ? "-rescue-" : "-worker-", index.ToString(CultureInfo.InvariantCulture)); // interpolation may wait for a buffer (T137)
        Blocking = new Blocking(this, _roster, _state);
        Order = new ItemOrder(this, _state);
        _scan = new QueueScan(this, _state);
        _thief = new Thief(this, _state, _scan, Order);
        _injector = new InjectorFetch(this, _state, Order);
        _priorities = new Priorities(this, _state);
        _throttle = new WakeThrottle(this, _state);
    }

    /// <summary>The worker whose thread this is.</summary>
    public static Worker? Current
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => t_current;
    }

    /// <summary>The pool, for those who ask whose worker this is. What the worker itself reads is in <see cref="PoolState"/>.</summary>
    public NativeThreadPool Pool { get; }

    /// <summary>The pool, unless its queue is limited: one comparison tells an entry call that no further check is needed.</summary>
    public NativeThreadPool? UnlimitedPool { get; }

    /// <summary>Its number within the pool: the lowest that was free.</summary>
    public int Index { get; }

    public string Name { get; }

    /// <summary>Its thread, once that runs.</summary>
    public Thread? Thread => Volatile.Read(ref _thread);

    /// <summary>Whether its pool lists it. Changed under the roster's lock.</summary>
    public bool IsListed { get; set; } = true;

    /// <summary>Why it may not get on.</summary>
    public Blocking Blocking { get; }

    /// <summary>The order of the items that it moved. Other workers check whether they are overdue.</summary>
    public ItemOrder Order { get; }

    /// <summary>What it runs, once an item of it was recorded.</summary>
    public ItemRecord? Record => Volatile.Read(ref _record);

    /// <summary>The items that wait for it. Other threads steal from there, and scan.</summary>
    public ref WorkerQueues Queues
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref _queues;
    }

    /// <summary>When it checks the other queues.</summary>
    public ref Pace Pace
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref _pace;
    }

    /// <summary>Its request where it takes matching items of others by force. Used by its own thread only.</summary>
    public Demand Demand { get; } = new();

    /// <summary>The group whose items it runs. Used by its own thread only.</summary>
    public ref GroupTally GroupTally => ref _group;

    /// <summary>Items in its queues at some moment.</summary>
    public int PendingCount
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _queues.Count;
    }

    /// <summary>Items that completed here. Written by the owner only.</summary>
    public long CompletedCount => Volatile.Read(ref _completed.Value);

    ThreadProbe? IWatched.Probe => Blocking.Probe;
    int IWatched.Parks => Blocking.Parks;
    bool IWatched.HasThread => Thread is not null;

    /// <summary>What it has counted, for the sums of its pool.</summary>
    public WorkerTotals Totals => new(CompletedCount, _thief.StealCount);

    /// <summary>
    /// Whether the worker is between two items, or before its first: it will scan all queues before it runs one, and
    /// after it has announced itself idle, before it parks.
    /// </summary>
    public bool IsLooking => (Volatile.Read(ref _looks.Value) & 1) != 0;

    /// <summary>Counts each change of <see cref="IsLooking"/>: odd while that is true.</summary>
    public int Looks => Volatile.Read(ref _looks.Value);

    /// <summary>Queues an item on the calling worker, and asks for help if the word says that there may be some.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Enqueue(Action<object?> callback, object? state, object? context, bool preferLocal)
    {
        Publish(callback, state, context, preferLocal);
        Chaos.Point("Worker.Enqueue, pushed");
        AskForHelpIfNeeded();
    }

    /// <summary>Queues an item on the calling worker; the caller asks for help afterwards.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Publish(Action<object?> callback, object? state, object? context, bool preferLocal)
    {
        if (!_queues.TryPush(callback, state, context, preferLocal))
        {
            PublishElsewhere(callback, state, context);
        }
    }

    /// <summary>Its queue is full and a thief, which may have lost its processor, keeps it from growing.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void PublishElsewhere(Action<object?> callback, object? state, object? context)
    {
        if (_state.Injector.Sorts)
        {
            _state.Injector.EnqueueContinuing(_state.Shares.GenerationAt(_state.RescuersInUse), callback, state, context);
        }
        else
        {
            _state.Injector.Enqueue(callback, state, context);
        }
    }

    /// <summary>Behind a push: asks for a worker for it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AskForHelpIfNeeded()
    {
        // No fence: usually every worker is busy and this load is the only cost. A worker that announces itself idle at
        // this very moment makes this thread pass a barrier, or scans again within a bounded time (Park).
        if ((Volatile.Read(ref *_word) & WorkerSignal.NeedsSlowPath) != 0)
        {
            AskForHelp();
        }
    }

    /// <summary>What a producer stores as an item's context: the current one, unless it is the default.</summary>
    public object? FlowingContext()
    {
        ExecutionContext? context = ExecutionContext.Capture();
        return context == _defaultContext ? null : context;
    }

    /// <summary>Knows an operation whose first part has returned: until it completes the pool does not stop.</summary>
    public void NoteOpen(Task operation) => (_operations ??= Pool.OpenOperations.AddList()).Add(operation);

    /// <summary>For its own thread: the record of its running item. <see langword="null"/> if there is no memory for one.</summary>
    public ItemRecord? RecordItems()
    {
        if (_record is null)
        {
            Volatile.Write(ref _record, Pool.ItemRecords.Add());
        }

        return _record;
    }

    // Only keeps producers from requesting another worker. A stale read costs one redundant wake, so there is no fence.
    public void BeginLooking()
    {
        Counters.Add(Counted.LookBegin);
        Chaos.Point("Worker.BeginLooking");
        Volatile.Write(ref _looks.Value, _looks.Value | 1);
        _state.BeginsToLook(this);
    }

    /// <summary>Comes before the scan for further items, and before the last scan of a worker that parks.</summary>
    public void EndLooking()
    {
        if ((_looks.Value & 1) != 0)
        {
            // Fence between this and the scan that follows: pairs with the producer's between publication and read.
            Counters.Add(Counted.LookEnd);
            Chaos.Point("Worker.EndLooking");
            Volatile.Write(ref _looks.Value, _looks.Value + 1);
            Interlocked.MemoryBarrier();
            Chaos.Point("Worker.EndLooking, ended");
        }
    }

    /// <summary>
    /// Starts the thread, which takes over the outstanding request. Throws what starting a thread throws; nothing has
    /// happened then. The thread inherits no context from the one that happens to start it (T34).
    /// </summary>
    public void Start()
    {
        if (IsRescue)
        {
            Pool.StartThread(Main, Name);
            return;
        }

        _idle = new IdleLoop(this, _state, _scan, _throttle);
        try
        {
            Pool.StartThread(Main, Name);
        }
        catch
        {
            _idle.Free();
            throw;
        }
    }

    /// <summary>
    /// A producer's second read of the word, with the fence that its first read lacked: pairs with the full fences of
    /// Acknowledge, EndLinger and Announce.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AskForHelp()
    {
        // The next thing this worker does is usually to run the item itself. The sentinel sees within a bounded
        // time whether it did, so that a worker that feeds itself one item at a time wakes no other worker (T50). No fence here
        // either: a sentinel that has just left scans by itself, and makes this thread pass a barrier before it parks.
        if ((Volatile.Read(ref *_word) & SignalWord.Sentinel) != 0 && PendingCount <= 1)
        {
            return;
        }

        Counters.Add(Counted.HelpAsked);
        Chaos.Point("Worker.AskForHelp");
        _throttle.End(); // these items are not from outside
        Interlocked.MemoryBarrier();
        _requests.Request(_signal.Word);
    }

    private void Main()
    {
        t_current = this;
        _thread = Thread.CurrentThread;
        _defaultContext = ExecutionContext.Capture()!;
        DefaultContext.Publish(_defaultContext);
        if (Pool.PrepareThread())
        {
            _defaultContext = ExecutionContext.Capture()!; // it has the pool's culture
        }

        ThreadProbe? probe = ThreadProbe.OfCurrentThread();
        Blocking.Probe = probe;

        bool ended = false;
        try
        {
            Chaos.Point("Worker.Main, started");
            if (!IsRescue)
            {
                _signal.Acknowledge();
            }

            Pool.ThreadStarts(); // after the request, which would count as lost while a function of users takes its time
            ResetContext();
            do
            {
                RunGuarded();
            }
            while (IsRescue ? WaitForRescue() : WaitForWork());

            ended = true;
        }
        finally
        {
            // Reached without "ended" where the runtime's handler of unhandled exceptions lets the process live: this
            // thread ends, its items and counts must not.
            if (!ended)
            {
                _completed.Value++;
                _group.Report();
                _throttle.End(); // WorkerEnded asks for a worker
            }

            Chaos.Point("Worker.Main, ends");
            Order.EndHoldingForGood();
            _idle?.Free();
            probe?.Dispose();
            t_current = null;
            Pool.ThreadStops();
            Interruption.Drop(); // the last one out may complete the shutdown, through locks of the runtime
            _exit.WorkerEnded(this, abnormally: !ended);
        }
    }

    private void RunGuarded()
    {
        while (true)
        {
            try
            {
                if (IsRescue)
                {
                    RunContinuing();
                }
                else
                {
                    Dispatch();
                }

                return;
            }
            catch (Exception exception) when (Pool.Handles(exception))
            {
                // Only raw items get here: tasks and groups keep their exceptions. The item has completed.
                Completed();
            }
        }
    }
}

/// <summary>What a worker counts, or several of them.</summary>
/// <param name="Completed">Items that have completed.</param>
/// <param name="Steals">How often a worker took from another one's queues.</param>
internal readonly record struct WorkerTotals(long Completed, long Steals)
{
    public static WorkerTotals operator +(WorkerTotals left, WorkerTotals right) =>
        new(left.Completed + right.Completed, left.Steals + right.Steals);
}
