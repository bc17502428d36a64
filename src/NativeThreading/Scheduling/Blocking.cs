using System.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>
/// Why a worker may not get on: it is parked, in a blocking region, found blocked, or waits for a group. Written by the worker
/// and, what the roster counts, under the roster's lock; read by the monitor and by those that take what the worker left.
/// </summary>
internal sealed class Blocking(Worker worker, ThreadRoster roster, PoolState state)
{
    private static readonly ItemPredicate<Worker> s_wakesSleepers = static (in WorkItem item, Worker _) =>
    {
        ItemContext.GroupOf(item.Context)?.WakeSleepers();
        return false;
    };

    private ThreadProbe? _probe;
    private GroupSleep? _sleep;
    private int _parks;
    private int _regions;
    private bool _isCounted;
    private long _countedSince;
    private bool _waitsForGroup;
    private bool _isInReserve;

    /// <summary>Samples the worker's thread; <see langword="null"/> before it runs.</summary>
    public ThreadProbe? Probe
    {
        get => Volatile.Read(ref _probe);
        set => Volatile.Write(ref _probe, value);
    }

    /// <summary>Counts each start and each end of parking: odd while the worker is parked (T84).</summary>
    public int Parks => Volatile.Read(ref _parks);

    /// <summary>Whether it is one of the pool's blocked threads. Set under the roster's lock.</summary>
    public bool IsCounted
    {
        get => Volatile.Read(ref _isCounted);
        set
        {
            Volatile.Write(ref _countedSince, value ? Stopwatch.GetTimestamp() : 0);
            Volatile.Write(ref _isCounted, value);
        }
    }

    /// <summary>Since when it has been counted, in ticks of <see cref="Stopwatch"/>; 0 while it is not. For observers.</summary>
    public long CountedSince => Volatile.Read(ref _countedSince);

    /// <summary>Whether it is in a blocking region.</summary>
    public bool IsInRegion => Volatile.Read(ref _regions) != 0;

    /// <summary>Whether the monitor has found it blocked, and it has not been seen to run since.</summary>
    public bool IsProven => IsCounted && !IsInRegion;

    /// <summary>Whether it waits for a group, and has nothing of that to run itself.</summary>
    public bool WaitsForGroup => Volatile.Read(ref _waitsForGroup);

    /// <summary>Whether it is known to be blocked, or waits for a group. What it left in its queues is for others.</summary>
    public bool IsBlocked => IsCounted || WaitsForGroup;

    /// <summary>
    /// Whether it waits, without a timeout, for a group of its own pool that is not done, and is not about to scan for items: only
    /// another worker of that pool can end the wait.
    /// </summary>
    public bool DependsOnOthers => Volatile.Read(ref _sleep) is { DependsOnOthers: true };

    /// <summary>Whether it is parked in the reserve. For observers.</summary>
    public bool IsInReserve => Volatile.Read(ref _isInReserve);

    /// <summary>Whether a value of <see cref="Parks"/> says that the worker is parked.</summary>
    public static bool IsParked(int parks) => (parks & 1) != 0;

    /// <summary>The worker enters a blocking region, maybe inside another one.</summary>
    public void EnterRegion()
    {
        Volatile.Write(ref _regions, _regions + 1);
        Chaos.Point("Blocking.EnterRegion, entered");
        if (_regions == 1)
        {
            roster.Blocked(worker);

            // A thread that queues at this very moment sees that the pool may grow, or is seen here, or comes upon UNMONITORED
            // (a worker, which does not fence).
            Chaos.Point("Blocking.EnterRegion, counted");
            worker.LeaveItemsToOthers();
        }
    }

    /// <summary>It leaves it.</summary>
    public void LeaveRegion()
    {
        Volatile.Write(ref _regions, _regions - 1);
        Chaos.Point("Blocking.LeaveRegion, left");
        if (_regions == 0)
        {
            roster.RunsAgain(worker);
        }
    }

    /// <summary>Between two items, or without any: the item in which the worker was blocked has completed.</summary>
    public void EndProof()
    {
        if (IsProven)
        {
            roster.RunsAgain(worker);
        }
    }

    /// <summary>Marks the worker as waiting for a group, and asks for help with what is in its queues.</summary>
    public void BeginGroupWait()
    {
        Volatile.Write(ref _waitsForGroup, true);

        // A full fence between the mark and the reads of WakeSleepers: pairs with WorkGroup.FallAsleep.
        Chaos.Point("Blocking.BeginGroupWait, marked");
        state.AddGroupWait(1);
        Chaos.Point("Blocking.BeginGroupWait, counted");
        worker.LeaveItemsToOthers();
    }

    /// <summary>The marked worker has found no items of a group of its pool. There is no timeout.</summary>
    /// <param name="sleep">Ends when the worker must scan again.</param>
    public void FallAsleep(GroupSleep sleep) => Volatile.Write(ref _sleep, sleep);

    /// <summary>Wakes workers that may wait for items in the queues of the marked worker and would not scan them again.</summary>
    public void WakeSleepers()
    {
        Chaos.Point("Blocking.WakeSleepers");
        if (worker.PendingCount != 0 && state.GroupWaits > 1)
        {
            worker.Queues.AnyContext(s_wakesSleepers, worker);
        }
    }

    /// <summary>Ends the mark; the worker runs again.</summary>
    public void EndGroupWait()
    {
        Volatile.Write(ref _waitsForGroup, false);
        Volatile.Write(ref _sleep, null);
        state.AddGroupWait(-1);
    }

    /// <summary>The worker is about to park.</summary>
    /// <remarks>
    /// The monitor marks a worker some time after it has sampled it. A worker that has parked by then runs no item at whose end it would
    /// see the mark (T150). So it reads the mark here, after the store. Either this load sees the mark, or the store is visible to the monitor's
    /// next sample, a sleep later (<see cref="Starvation.Evidence.RunsAgain"/>). Model: native/models/reserve.pml.
    /// </remarks>
    public void BeginPark()
    {
        Volatile.Write(ref _parks, _parks + 1);
        Chaos.Point("Blocking.BeginPark");
        EndProof();
    }

    /// <summary>The worker is about to park in the reserve.</summary>
    public void BeginReserve()
    {
        Volatile.Write(ref _isInReserve, true);
        BeginPark();
    }

    /// <summary>It is back.</summary>
    public void EndPark()
    {
        Volatile.Write(ref _parks, _parks + 1);
        Volatile.Write(ref _isInReserve, false);
    }
}

/// <summary>
/// The event shared by all workers that wait for one group. It completes when they should scan again: there are items, or all items have
/// completed. The next worker that falls asleep creates a new event.
/// </summary>
internal sealed class GroupSleep(WorkGroup group) : TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)
{
    /// <summary>Whether only another worker, or a timeout, can complete it.</summary>
    public bool DependsOnOthers => !Task.IsCompleted && !group.IsDone;
}

/// <summary>A thread that the monitor watches: a worker, or the driver of a loop.</summary>
internal interface IWatched
{
    /// <summary>Samples the thread; <see langword="null"/> before it runs.</summary>
    ThreadProbe? Probe { get; }

    /// <summary>Changes whenever a wait of the thread in the library's own code starts or ends: odd during such a wait.</summary>
    int Parks { get; }

    /// <summary>Changes with each item.</summary>
    long CompletedCount { get; }

    /// <summary>Whether the thread runs yet.</summary>
    bool HasThread { get; }
}
