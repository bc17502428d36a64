namespace NativeThreading.Tuning;

/// <summary>
/// What makes the library faster and could be left out without breaking a promise. Each is true; a build with
/// <c>-p:Ablation=true</c> leaves out those whose names the variable NTH_ABLATE lists, and <c>-- ablate</c> of the tables measures what that costs.
/// </summary>
/// <remarks>
/// In every other build they are constants, so that the compiler leaves the tests out. A condition says <c>X &amp;&amp; ...</c> or
/// <c>!X || ...</c>: anything else holds code that is never reached, which is an error.
/// Unproven: with two processors no table shows what it buys that could be told from chance, and nothing proves that it cannot matter with more. The
/// figures of all are in docs/performance-notes.md.
/// </remarks>
internal static class Mechanisms
{
#if !ABLATION
    /// <summary>A thief polls for the owner to give, before it makes the whole process pass a barrier.</summary>
    public const bool OwnerGives = true;

    /// <summary>A worker that saw work and could not take it yields its processor.</summary>
    public const bool IdleYield = true;

    /// <summary>A worker looks up from its own queues the sooner the longer its items are. Unproven.</summary>
    public const bool AdaptiveLooks = true;

    /// <summary>The last worker to park looks once more, a second later. Unproven.</summary>
    public const bool LateLook = true;

    /// <summary>One parked worker looks again within a bounded time, so that lone items of another wake nobody. Without one, an idle worker polls as long as there are some. Unproven.</summary>
    public const bool Sentinel = true;

    /// <summary>A worker looks several times before it announces itself idle. Unproven.</summary>
    public const bool LooksInARow = true;

    /// <summary>Nobody reads the queues of the others where all of them are announced idle. Unproven.</summary>
    public const bool AnnouncedHoldNothing = true;

    /// <summary>The only item of a worker is left to it until it has lain still.</summary>
    public const bool LoneItemAge = true;

    /// <summary>A few items of a worker are left to it until there have been some for a while. Unproven.</summary>
    public const bool BurstAge = true;

    /// <summary>A batch has as many items as fit into a short time, by what items have cost lately.</summary>
    public const bool BatchesByCost = true;

    /// <summary>A batch that is not over in time, or is older than what a worker finds long, is taken over item by item.</summary>
    public const bool LateBatches = true;

    /// <summary>Whoever wants a worker asks nobody while one is between two items: it looks by itself.</summary>
    public const bool LookersCount = true;

    /// <summary>The injector queue has a shard for each processor, instead of one for all. Unproven.</summary>
    public const bool ShardPerProcessor = true;

    /// <summary>Items that one call queues from outside are one entry of the injector queue, and are claimed one by one.</summary>
    public const bool Ranges = true;

    /// <summary>A shard of the injector queue keeps emptied segments for later. Unproven.</summary>
    public const bool SpareSegments = true;

    /// <summary>A worker keeps its youngest open operations by strong references. Unproven.</summary>
    public const bool RecentOperations = true;

    /// <summary>A loop keeps unused offload items.</summary>
    public const bool OffloadItems = true;

    /// <summary>An idle worker polls before it parks.</summary>
    public const bool WorkerLingers = true;

    /// <summary>Who waits for a group polls before it helps or parks.</summary>
    public const bool CompletionLingers = true;

    /// <summary>A loop that expects a completion polls before it sleeps. Unproven.</summary>
    public const bool LoopLingers = true;

    /// <summary>A loop whose polls soon found something lately polls before it sleeps.</summary>
    public const bool LoopExpects = true;

    /// <summary>A semaphore's waiter polls before it parks.</summary>
    public const bool SemaphoreLingers = true;

    /// <summary>Managed polls yield where a processor was lost lately.</summary>
    public const bool PollsYield = true;

    /// <summary>A pass that finds workers blocked starts several threads for each, as those behind them will block as well.</summary>
    public const bool StartsAhead = true;

    /// <summary>The monitor looks at the ends of the queues while work waits, so that an age of the oldest item is known when asked for.</summary>
    public const bool AgeLooks = true;
#else
    private static readonly HashSet<string> s_off =
        [.. (Environment.GetEnvironmentVariable("NTH_ABLATE") ?? "").Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)];

    public static readonly bool OwnerGives = IsOn(nameof(OwnerGives));
    public static readonly bool IdleYield = IsOn(nameof(IdleYield));
    public static readonly bool AdaptiveLooks = IsOn(nameof(AdaptiveLooks));
    public static readonly bool LateLook = IsOn(nameof(LateLook));
    public static readonly bool Sentinel = IsOn(nameof(Sentinel));
    public static readonly bool LooksInARow = IsOn(nameof(LooksInARow));
    public static readonly bool AnnouncedHoldNothing = IsOn(nameof(AnnouncedHoldNothing));
    public static readonly bool LoneItemAge = IsOn(nameof(LoneItemAge));
    public static readonly bool BurstAge = IsOn(nameof(BurstAge));
    public static readonly bool BatchesByCost = IsOn(nameof(BatchesByCost));
    public static readonly bool LateBatches = IsOn(nameof(LateBatches));
    public static readonly bool LookersCount = IsOn(nameof(LookersCount));
    public static readonly bool ShardPerProcessor = IsOn(nameof(ShardPerProcessor));
    public static readonly bool Ranges = IsOn(nameof(Ranges));
    public static readonly bool SpareSegments = IsOn(nameof(SpareSegments));
    public static readonly bool RecentOperations = IsOn(nameof(RecentOperations));
    public static readonly bool OffloadItems = IsOn(nameof(OffloadItems));
    public static readonly bool WorkerLingers = IsOn(nameof(WorkerLingers));
    public static readonly bool CompletionLingers = IsOn(nameof(CompletionLingers));
    public static readonly bool LoopLingers = IsOn(nameof(LoopLingers));
    public static readonly bool LoopExpects = IsOn(nameof(LoopExpects));
    public static readonly bool SemaphoreLingers = IsOn(nameof(SemaphoreLingers));
    public static readonly bool PollsYield = IsOn(nameof(PollsYield));
    public static readonly bool StartsAhead = IsOn(nameof(StartsAhead));
    public static readonly bool AgeLooks = IsOn(nameof(AgeLooks));

    // Behind the fields: a name that none of them has would leave out nothing, and nobody would notice.
    static Mechanisms()
    {
        if (s_off.Count != 0)
        {
            throw new InvalidOperationException("NTH_ABLATE names no mechanism: " + string.Join(", ", s_off));
        }
    }

    private static bool IsOn(string name) => !s_off.Remove(name);
#endif

    /// <summary>A number of a mechanism, and what takes its place where that is left out.</summary>
    public static int If(bool mechanism, int number, int otherwise = 0) => mechanism ? number : otherwise;
}
