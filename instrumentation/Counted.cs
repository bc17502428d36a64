namespace NativeThreading.Instrumentation;

/// <summary>What is counted, each by one line in the member named behind it. A write is one to a line that other threads read; what a C function
/// writes is counted by its caller, at least as often as it happens.</summary>
internal enum Counted
{
    /// <summary>A push at the tail of a deque: WorkerQueues.TryPush.</summary>
    DequePush,

    /// <summary>A push at the tail of a lane: WorkerQueues.TryPush.</summary>
    LanePush,

    /// <summary>An owner passes its gate, by two stores to a line that thieves read: StealGate.Enter.</summary>
    GatePass,

    /// <summary>An owner waits for a thief that has entered by force: StealGate.TryEnterWhileAsked.</summary>
    GateWait,

    /// <summary>An owner serves a request: WorkerQueues.Give.</summary>
    Give,

    /// <summary>A thief waits for an owner that gives to it: StealGate.Ask.</summary>
    GiveWait,

    /// <summary>A thief yields while it waits for an owner that gives to it: StealGate.Ask.</summary>
    GiveYield,

    /// <summary>A thief asks at a gate: StealGate.TryClaim.</summary>
    StealTry,

    /// <summary>A thief found the gate taken, or lost the race for it: StealGate.TryClaim.</summary>
    StealMiss,

    /// <summary>A thief got something: Thief.TryStealFrom, Thief.TryTakeFrontOf.</summary>
    Steal,

    /// <summary>An item moved to a thief: WorkerQueues.MoveHalf.</summary>
    StolenItem,

    /// <summary>A slot of the injector queue was claimed, by an increment of the tickets: InjectorSegment.TryClaim.</summary>
    Ticket,

    /// <summary>A ticket of a segment that was full, or sealed: InjectorSegment.TryClaim.</summary>
    TicketMiss,

    /// <summary>A consumer took the lock of a shard: ConsumerSide.TryEnter.</summary>
    ShardLock,

    /// <summary>A consumer found the lock of a shard that is not empty held: ConsumerSide.TryEnter.</summary>
    ShardLockMiss,

    /// <summary>An entry left a shard, by a store to its head: InjectorShard.TryTakeOldest, InjectorShard.RemoveRange.</summary>
    ShardTake,

    /// <summary>An item of a range was claimed, by an increment of its index: ItemRange.TryClaim.</summary>
    RangeClaim,

    /// <summary>A read of the end of a shard, three lines: ConsumerSide.IsEmpty.</summary>
    ShardLook,

    /// <summary>The count of workers that hold batches changed: InjectorQueue.AddHolder.</summary>
    HolderChange,

    /// <summary>A process-wide barrier of a thief, whose victim ran a long item: StealGate.Ask.</summary>
    StealBarrier,

    /// <summary>A process-wide barrier of a worker that is about to park: Worker.LookAnnounced.</summary>
    ParkBarrier,

    /// <summary>Another process-wide barrier: of the monitor, of a pool that may grow, of a shutdown.</summary>
    OtherBarrier,

    /// <summary>The state word was written by managed code: WorkerSignal.</summary>
    WordWrite,

    /// <summary>A request that was not needed, one write of the word: WorkerSignal.Request.</summary>
    RequestNotNeeded,

    /// <summary>A request that woke a worker, two writes of the word: WorkerSignal.Request.</summary>
    RequestWoke,

    /// <summary>A request that starts a thread, one write of the word: WorkerSignal.Request.</summary>
    RequestStart,

    /// <summary>A worker announced itself idle, two writes of the word: Parker.Announce.</summary>
    Announce,

    /// <summary>A worker took its announcement back, two writes of the word: Parker.Withdraw.</summary>
    Withdraw,

    /// <summary>A worker parked: Parker.Park.</summary>
    Park,

    /// <summary>A worker's park ended by its time, two writes of the word: Parker.Park.</summary>
    ParkTimeout,

    /// <summary>A worker started to throttle wakes, one write of the word if it did not linger: WakeThrottle.</summary>
    Throttle,

    /// <summary>A worker lingered: Worker.Linger.</summary>
    Linger,

    /// <summary>Another worker became the last one to begin looking, a write that producers read: PoolState.BeginsToLook.</summary>
    LastToLookChange,

    /// <summary>A worker began to look, a write that producers read: Worker.BeginLooking.</summary>
    LookBegin,

    /// <summary>A worker ended its look, by a write and a fence: Worker.EndLooking.</summary>
    LookEnd,

    /// <summary>A worker asked for help with what it had pushed, by a fence and a second look at the word: Worker.AskForHelp.</summary>
    HelpAsked,

    /// <summary>A look at another worker's queues, four lines, by a worker without work: QueueScan.LookAt.</summary>
    WorkerLook,

    /// <summary>The same by a worker that has just taken an item and passes the request on: QueueScan.AnyPending.</summary>
    PassLook,

    /// <summary>A worker passed over by a thief because it had nothing, a read of the same four lines: Thief.TrySteal.</summary>
    StealPass,

    /// <summary>A look whether another worker is looking, by the thread that requests one: WorkerRequests.IsOneOnItsWay.</summary>
    RequestLook,

    /// <summary>A look whether another worker holds a batch, by one that searches for a late one: ItemOrder.FindOlder.</summary>
    HolderLook,

    /// <summary>Batches moved from a shard by size, <see cref="Counters.Sizes"/> places: InjectorShard.TryTransfer.</summary>
    TransferSizes,

    /// <summary>Batches moved to a thief by size: WorkerQueues.MoveHalf.</summary>
    StealSizes = TransferSizes + Counters.Sizes,
}
