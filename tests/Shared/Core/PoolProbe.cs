using System.Runtime.CompilerServices;
using NativeThreading.Limits;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Scheduling;
using NativeThreading.Starvation;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Support;

/// <summary>
/// The one door to what a pool keeps to itself: what tests ask of its parts, and what they do in the place of a producer, a worker
/// or the monitor that has stopped between two steps.
/// </summary>
internal readonly struct PoolProbe(NativeThreadPool pool)
{
    /// <summary>After this time a request that no worker honours counts as lost.</summary>
    public static TimeSpan RequestExpiry => StarvationTuning.RequestExpiry;

    public static bool IsMonitorThere => StarvationMonitor.IsThere;

    public static string MonitorName => StarvationMonitor.ThreadName;

    /// <summary>Nothing is queued, and every worker is announced idle: no worker runs an item or searches.</summary>
    public bool IsQuiet
    {
        get
        {
            ulong word = Word;
            return pool.QueuedItemCount == 0
                && (word & (SignalWord.Requested | SignalWord.Lingering)) == 0
                && WorkerSignal.IdleCount(word) + ReserveThreads == pool.ThreadCount;
        }
    }

    /// <summary>Every thread is idle and has parked: it has made its last check. The monitor does not have the pool, and no other bit is set than that
    /// it may grow, if it may.</summary>
    public bool IsAtRest
    {
        get
        {
            int threads = pool.ThreadCount - ReserveThreads;
            ulong expected = ((ulong)threads << SignalWord.IdleShift)
                | (threads < pool.MaxThreads ? SignalWord.Growable : 0)
                | SignalWord.Unmonitored;
            return (uint)Word == expected && pool.QueuedItemCount == 0 && pool.BlockedThreadCount == 0
                && pool.Workers.All(static worker => Blocking.IsParked(worker.Blocking.Parks));
        }
    }

    /// <summary>Workers that are announced idle: parked, or about to park.</summary>
    public int IdleWorkers => WorkerSignal.IdleCount(Word);

    public bool IsLingering => (Word & SignalWord.Lingering) != 0;

    /// <summary>Whether a worker on the calling thread's processor would yield instead of polling.</summary>
    public bool WouldYield => pool.State.Linger.Yields;

    /// <summary>Whether the monitor has the pool.</summary>
    public bool IsMonitored => (Word & SignalWord.Unmonitored) == 0;

    /// <summary>Samples of this pool that the monitor has started so far. It takes none while it does not have the pool.</summary>
    public long Looks => pool.Watch.LookCount;

    public bool IsStopped => pool.IsStopped;

    /// <summary>Requests that were lost and made again.</summary>
    public long Repairs => pool.RepairCount;

    /// <summary>Threads woken so far.</summary>
    public long Wakes => pool.Signal.WakeCount;

    /// <summary>When a worker last started to throttle wakes, or would have with a sentinel.</summary>
    public long LastThrottle => pool.State.LastThrottle;

    /// <summary>How often listed workers have parked or woken up.</summary>
    public long Parks => pool.Workers.Sum(static worker => (long)worker.Blocking.Parks);

    /// <summary>For how long a worker may linger, in ticks of the stopwatch.</summary>
    public long LingerTicks => pool.State.Linger.Duration;

    /// <summary>Workers that are marked as blocked, those that wait for a group among them.</summary>
    public int MarkedWorkers => pool.Workers.Count(static worker => worker.Blocking.IsBlocked);

    public int ReserveThreads => pool.State.ReserveCount;

    /// <summary>Whether newcomers may run beyond the pool's number.</summary>
    public bool HasOvershoot => pool.Roster.HasOvershoot;

    /// <summary>Whether more run than may.</summary>
    public bool HasSurplus => pool.State.HasSurplus;

    /// <summary>Slots of all queues that are not free.</summary>
    public long OccupiedSlots => pool.QueuedItemCount;

    /// <summary>Those of them whose items were cancelled.</summary>
    public long CancelledSlots => pool.CancelledItems.Count;

    /// <summary>Permits of a limited queue that are held.</summary>
    public int HeldPermits => pool.Permits!.HeldCount;

    /// <summary>Callers that wait for a permit of it.</summary>
    public int WaitingCallers => pool.Permits!.WaiterCount;

    private ulong Word => pool.Signal.Word;

    /// <summary>Milliseconds since a request that <see cref="LoseRequest"/> made.</summary>
    public static uint Since(uint request) => WorkerSignal.Now - request;

    /// <summary>The context that the pool's operations post to.</summary>
    public SynchronizationContext OperationContext => pool.OperationContext;

    /// <summary>The items of the injector queue: a snapshot.</summary>
    public WorkItem[] ItemsFromOutside => [.. pool.Injector.PendingItems()];

    /// <summary>Whether the monitor would find an item in the injector queue that a rescue thread may run.</summary>
    public bool FindsContinuing() => pool.Injector.Sort(ContinuingItem.Is, pool.Scheduler, generation: 0, out bool isDone) && isDone;

    /// <summary>The segment in which producers of a shard claim slots.</summary>
    public static InjectorSegment LastSegmentOf(InjectorShard shard) => ProducersOf(shard).Last;

    public override string ToString() =>
        $"{pool}: word {Word:X}, {pool.ThreadCount} threads, {ReserveThreads} in reserve, {pool.BlockedThreadCount} blocked, {pool.QueuedItemCount} pending, "
        + $"parks {string.Join(' ', pool.Workers.Select(static worker => worker.Blocking.Parks))}";

    /// <summary>Holds the lock under which callers of a limited queue begin to wait, are granted a permit, and leave.</summary>
    public UninterruptedLock.Scope HoldWaitingCallers() => LockOf(pool.Permits!).EnterScope();

    /// <summary>A thread was requested so many milliseconds ago, and never comes. Returns when that was.</summary>
    public unsafe uint LoseRequest(uint age)
    {
        ulong before, after;
        do
        {
            before = Word;
            after = (uint)before | SignalWord.Requested | ((ulong)(WorkerSignal.Now - age) << 32);
        }
        while (Interlocked.CompareExchange(ref *pool.Signal.WordAddress, after, before) != before);
        return WorkerSignal.Stamp(after);
    }

    /// <summary>Ends the pending request, as the worker that it wakes would do.</summary>
    public void EndRequest() => pool.Signal.Acknowledge();

    /// <summary>A producer publishes, and requests no thread.</summary>
    public void Publish(Action item) => pool.Injector.Enqueue(static item => ((Action)item!)(), item, null);

    /// <summary>A producer publishes a range, and requests no thread.</summary>
    public ItemRange PublishRange(params ReadOnlySpan<Action> items)
    {
        ItemRange range = ItemRange.Of(static item => item(), items, ExecutionContext.Capture()!);
        pool.Injector.EnqueueRange(range);
        return range;
    }

    /// <summary>
    /// In each shard a producer has claimed a slot, and loses its processor before it fills that: later items seem not to be there.
    /// What the producers do then.
    /// </summary>
    public Action ClaimSlots(Action item)
    {
        NativeThreadPool asked = pool;
        var claimed = new List<(InjectorSegment Segment, int Ticket)>();
        foreach (InjectorShard shard in pool.Injector.Shards)
        {
            InjectorSegment last = ProducersOf(shard).Last;
            Assert.True(last.TryClaim(out int ticket));
            claimed.Add((last, ticket));
        }

        return () =>
        {
            claimed.ForEach(slot => slot.Segment.Fill(slot.Ticket, (Action<object?>)(static item => ((Action)item!)()), item, null));
            asked.AfterOutsidePublication();
        };
    }

    /// <summary>A producer publishes when the last thread it saw has gone.</summary>
    public void PublishLate(Action item)
    {
        Publish(item);
        pool.AfterOutsidePublication();
    }

    /// <summary>A producer publishes, has read that a thread may be started, and loses its processor: what it does then.</summary>
    public Action PublishAndAskLater(Action item)
    {
        NativeThreadPool asked = pool;
        ulong word = Word;
        Assert.NotEqual(0UL, word & SignalWord.Growable);
        Publish(item);
        return () => asked.Requests.Request(word);
    }

    /// <summary>A producer asks for a thread, and loses its processor before <see cref="StartRequestedThread"/>.</summary>
    public void RequestThread() => Assert.Equal(RequestOutcome.StartThread, pool.Signal.Request());

    public void StartRequestedThread() => pool.Requests.StartRequestedWorker();

    /// <summary>A worker is on its way to an item, for as long as wanted.</summary>
    public void BeginToLook() => pool.State.BeginsToLook(new Worker(pool, index: pool.MaxThreads)); // has not started

    /// <summary>It was the last one to look, until now.</summary>
    public void EndToLook() => pool.State.BeginsToLook(Array.Find(pool.Workers, static worker => !worker.IsLooking)!); // runs, or is parked

    /// <summary>A worker has looked and found nothing: it announces itself idle.</summary>
    public Parker AnnounceIdle()
    {
        var parker = new Parker(pool.Signal);
        parker.Announce(asSentinel: false);
        return parker;
    }

    /// <summary>It withdraws. Whether it was asked to come.</summary>
    public bool Withdraw(Parker parker)
    {
        bool asked = parker.Withdraw();
        if (asked)
        {
            pool.Signal.Acknowledge();
        }

        parker.Free();
        return asked;
    }

    /// <summary>What a monitor that begins now has seen of the pool's only worker.</summary>
    public Evidence EvidenceOfOneWorker() => new(Assert.Single(pool.Workers));

    /// <summary>How old the outstanding request is.</summary>
    public TimeSpan RequestAge => WorkerSignal.Age(Word);

    /// <summary>The monitor has seen a worker blocked that has retired meanwhile. How many it adds.</summary>
    public int ReplaceRetiredWorker() => pool.Roster.ReplaceBlocked([new Worker(pool, 0) { IsListed = false }], gettingOn: 0, pending: 0);

    /// <summary>The monitor has seen the pool's only worker wait, marks it some time later, and looks no more.</summary>
    public void MarkWorker() => _ = pool.Roster.ReplaceBlocked([Assert.Single(pool.Workers)], gettingOn: 0, pending: 0);

    /// <summary>The pool becomes one that the monitor has, but the monitor is not woken; <see langword="false"/> if it is one.</summary>
    public bool TryMonitor() => pool.Signal.TryBeginMonitoring();

    /// <summary>Ends that, without a last look.</summary>
    public void LeaveUnmonitored() => pool.Signal.EndMonitoring();

    /// <summary>The monitor gives the pool back; <see langword="true"/> if its last look makes it stay.</summary>
    public bool GiveBack() => pool.Watch.EndMonitoring();

    /// <summary>Brings the pool to the monitor.</summary>
    public void BringMonitor() => pool.Watch.BeginMonitoring();

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_lock")]
    private static extern ref UninterruptedLock LockOf(Permits permits);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_producers")]
    private static extern ref ProducerSide ProducersOf(InjectorShard shard);
}
