using System.Globalization;
using NativeThreading.Diagnostics;

namespace NativeThreading.Hosting;

/// <summary>The counts of the built-in thread pool.</summary>
internal readonly record struct BuiltInPoolCounts(int Threads, int MinThreads, long Pending)
{
    public static BuiltInPoolCounts Now
    {
        get
        {
            ThreadPool.GetMinThreads(out int minThreads, out _);
            return new BuiltInPoolCounts(ThreadPool.ThreadCount, minThreads, ThreadPool.PendingWorkItemCount);
        }
    }
}

/// <summary>Finds what is wrong in successive snapshots, and remembers since when. Not thread-safe.</summary>
internal sealed class Judge(ConditionOptions options)
{
    /// <summary>How long an event that has passed stays a condition: a rejection, a rescue, a lost wake-up.</summary>
    private static readonly TimeSpan s_eventLasts = TimeSpan.FromSeconds(10);

    /// <summary>How long the built-in pool must have had a queue without emptying it.</summary>
    private static readonly TimeSpan s_backlogLasts = TimeSpan.FromSeconds(1);

    private Dictionary<(string Subject, ConditionKind Kind), DateTimeOffset> _since = [];
    private Dictionary<int, PoolEvents> _pools = [];
    private (DateTimeOffset Since, long Pending, int Threads)? _backlog;
    private Dictionary<(string Subject, ConditionKind Kind), DateTimeOffset> _next = [];

    /// <summary>Returns the verdicts, the worst first.</summary>
    /// <param name="snapshot">A snapshot of this moment.</param>
    /// <param name="builtIn">The counts of the built-in pool.</param>
    /// <param name="now">The time.</param>
    /// <param name="isAlarmed">Whether a pool has written a warning since the call before. Rescues and lost wake-ups of a pool that is new to the judge
    /// then happened a moment ago.</param>
    public IReadOnlyList<Verdict> Next(ThreadSnapshot snapshot, BuiltInPoolCounts builtIn, DateTimeOffset now, bool isAlarmed = false)
    {
        _next = [];
        var pools = new Dictionary<int, PoolEvents>(); // without pools that have stopped
        var found = new List<(Verdict Verdict, int Rank)>();
        foreach (PoolSnapshot pool in snapshot.Pools)
        {
            PoolEvents events = pools[pool.Id] = _pools.TryGetValue(pool.Id, out PoolEvents? before) ? before.Next(pool, now) : PoolEvents.First(pool, now, isAlarmed);
            Add(pool.Name, $"pool-{pool.Id}", OfPool(pool, events, now));
        }

        Add("built-in pool", "runtime-pool", OfBuiltIn(builtIn, now));
        foreach (LoopSnapshot loop in snapshot.Loops)
        {
            TimeSpan turn = loop.LongestTurn > loop.RunningTurn ? loop.LongestTurn : loop.RunningTurn;
            Add(loop.Name, $"loop-{loop.Id}", turn > options.MaxTurn ? [(ConditionKind.LongTurn, $"a turn took {Duration(turn)}", now - loop.RunningTurn)] : []);
        }

        (_since, _pools) = (_next, pools);
        return [.. found.OrderBy(static each => each.Rank).Select(static each => each.Verdict)];

        void Add(string subject, string id, IEnumerable<(ConditionKind Kind, string Text, DateTimeOffset Since)> conditions)
        {
            (ConditionKind Kind, string Text, DateTimeOffset Since)[] all = [.. conditions];
            if (all.Length != 0)
            {
                Condition[] known = [.. all.Select(each => new Condition(each.Kind.Id, each.Text, SinceWhen(id, each.Kind, each.Since), each.Kind.Remedy))];
                found.Add((new Verdict(subject, id, known), Array.IndexOf(ConditionKind.All, all[0].Kind)));
            }
        }
    }

    private DateTimeOffset SinceWhen(string subject, ConditionKind kind, DateTimeOffset since)
    {
        DateTimeOffset known = _since.TryGetValue((subject, kind), out DateTimeOffset earlier) && earlier < since ? earlier : since;
        _next[(subject, kind)] = known;
        return known;
    }

    private IEnumerable<(ConditionKind Kind, string Text, DateTimeOffset Since)> OfPool(PoolSnapshot pool, PoolEvents events, DateTimeOffset now)
    {
        int threads = pool.Workers.Count(static worker => !worker.IsRescue);
        WorkerSnapshot[] blocked = [.. pool.Workers.Where(static worker => !worker.IsRescue && IsBlocked(worker.State))];
        bool allBlocked = threads != 0 && blocked.Length == threads;
        if (allBlocked && threads >= pool.MaxThreads + pool.MaxBlockedThreads)
        {
            yield return (ConditionKind.LimitReached, $"{blocked.Length} of {threads} threads blocked (limit reached){Names(blocked)}", now - pool.AllThreadsBlockedDuration);
        }
        else if (allBlocked && pool.QueueLength != 0 && pool.AllThreadsBlockedDuration > TimeSpan.Zero)
        {
            yield return (ConditionKind.Starvation, $"{blocked.Length} of {threads} threads blocked{Names(blocked)}, {pool.QueueLength} {Items(pool.QueueLength)} waiting", now - pool.AllThreadsBlockedDuration);
        }

        if (pool.RescueThreadCount != 0 || events.Rescued.IsRecent(now))
        {
            string verb = pool.RescueThreadCount == 0 ? "waited" : "waits";
            string rescuers = pool.RescueThreadCount switch { 0 => "", 1 => " (1 rescue thread)", int more => $" ({more} rescue threads)" };
            yield return (ConditionKind.Rescue, $"blocked code probably {verb} for work of its own pool{rescuers}", events.Rescued.IsRecent(now) ? events.Rescued.Last : now);
        }

        if (pool.QueueLimit is { } limit && (pool.QueueLength >= limit || events.Rejected.IsRecent(now)))
        {
            string rejected = events.Rejected.PerSecond > 0 ? $", {Rate(events.Rejected)} items a second rejected" : "";
            string full = pool.QueueLength >= limit || rejected.Length != 0 ? "queue full" : "queue was full";
            yield return (ConditionKind.QueueFull, $"{full} ({pool.QueueLength} of {limit}){rejected}", now);
        }

        if (events.Expired.IsRecent(now))
        {
            string rate = events.Expired.PerSecond > 0 ? $" ({Rate(events.Expired)} a second)" : "";
            yield return (ConditionKind.ExpiredItem, $"{events.Expired.Recent} {Items(events.Expired.Recent)} expired{rate}", now);
        }

        if (pool.OldestWorkItemAge > options.MaxWorkItemAge)
        {
            yield return (ConditionKind.OldItem, $"the oldest item has waited for {Duration(pool.OldestWorkItemAge)}", now - pool.OldestWorkItemAge);
        }

        if (events.LostWake.IsRecent(now))
        {
            yield return (ConditionKind.LostWake, $"{pool.LostWakeCount} lost {(pool.LostWakeCount == 1 ? "wake-up" : "wake-ups")} repeated", events.LostWake.Last);
        }
    }

    private IEnumerable<(ConditionKind Kind, string Text, DateTimeOffset Since)> OfBuiltIn(BuiltInPoolCounts pool, DateTimeOffset now)
    {
        if (pool.Pending == 0)
        {
            _backlog = null;
            return [];
        }

        (DateTimeOffset since, long pending, int threads) = _backlog ??= (now, pool.Pending, pool.Threads);
        return now - since >= s_backlogLasts && pool.Threads > Math.Max(threads, pool.MinThreads)
            ? [(ConditionKind.BuiltInPoolStarving, $"{pool.Pending} {Items(pool.Pending)} waiting, threads grew from {threads} to {pool.Threads}", since)]
            : [];
    }

    /// <summary>What most of the blocked threads run, with its share; empty if nothing was recorded.</summary>
    private static string Names(WorkerSnapshot[] blocked) =>
        blocked.Select(static worker => worker.Item?.Name).OfType<string>().CountBy(static name => name).OrderByDescending(static each => each.Value).FirstOrDefault() is { Key: not null } most
            ? $", {100 * most.Value / blocked.Length} % in {most.Key}"
            : "";

    private static bool IsBlocked(WorkerState state) => state is WorkerState.Blocked or WorkerState.InBlockingRegion or WorkerState.WaitingForGroup;

    private static string Items(long count) => count == 1 ? "item" : "items";

    private static string Rate(EventCount events) => events.PerSecond.ToString(events.PerSecond < 10 ? "0.##" : "0", CultureInfo.InvariantCulture);

    private static string Duration(TimeSpan time) => time < TimeSpan.FromSeconds(1)
        ? string.Create(CultureInfo.InvariantCulture, $"{time.TotalMilliseconds:0} ms")
        : string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.#} s");

    /// <summary>The events of a pool, as of the latest judgement.</summary>
    private sealed record PoolEvents(DateTimeOffset At, EventCount Rejected, EventCount Expired, EventCount Rescued, EventCount LostWake)
    {
        /// <summary>When the pool's earlier events happened is not known, so they do not count. Rescues and lost wake-ups are warnings, too, after which
        /// the judge is asked at once.</summary>
        public static PoolEvents First(PoolSnapshot pool, DateTimeOffset now, bool isAlarmed)
        {
            var before = new PoolEvents(now, new(pool.RefusalCount), new(pool.ExpiredWorkItemCount), new(isAlarmed ? 0 : pool.RescueCount), new(isAlarmed ? 0 : pool.LostWakeCount));
            return before.Next(pool, now);
        }

        public PoolEvents Next(PoolSnapshot pool, DateTimeOffset now) => new(
            now,
            Rejected.Next(pool.RefusalCount, At, now),
            Expired.Next(pool.ExpiredWorkItemCount, At, now),
            Rescued.Next(pool.RescueCount, At, now, isNow: pool.RescueThreadCount != 0),
            LostWake.Next(pool.LostWakeCount, At, now));
    }

    /// <summary>How often something happened, and when last.</summary>
    private readonly record struct EventCount(long Total, long Recent = 0, DateTimeOffset Last = default, double PerSecond = 0)
    {
        public bool IsRecent(DateTimeOffset now) => now - Last < s_eventLasts;

        public EventCount Next(long total, DateTimeOffset before, DateTimeOffset now, bool isNow = false) => new(
            total,
            total - Total + (IsRecent(now) ? Recent : 0), // of the whole series of events, each within the time of the one before
            total > Total || isNow ? now : Last,
            now > before ? (total - Total) / (now - before).TotalSeconds : 0);
    }
}
