namespace NativeThreading.Testing.Tests.Contract;

/// <summary>Every way in which one piece of work can start.</summary>
public static class ObservedWays
{
    private static readonly Dictionary<string, Action<SchedulerUnderTest, IWorkScheduler, Action>> s_ways = new()
    {
        ["raw"] = static (_, scheduler, body) => scheduler.QueueUserWorkItem(_ => body()),
        ["raw with a value"] = static (_, scheduler, body) => scheduler.QueueUserWorkItem(_ => body(), 1, preferLocal: false),
        ["raw with options"] = static (_, scheduler, body) => scheduler.QueueUserWorkItem(_ => body(), null, new WorkOptions { Priority = WorkPriority.High }),
        ["unsafe"] = static (_, scheduler, body) => scheduler.UnsafeQueueUserWorkItem(_ => body(), "", preferLocal: false),
        ["try"] = static (_, scheduler, body) => scheduler.TryQueueUserWorkItem(_ => body(), null),
        ["queue async"] = static (_, scheduler, body) => scheduler.QueueAsync(_ => body(), null, CancellationToken.None).AsTask(),
        ["run"] = static (_, scheduler, body) => scheduler.Run(() => body(), CancellationToken.None),
        ["function"] = static (_, scheduler, body) => scheduler.Run(
            () =>
            {
                body();
                return 1;
            },
            CancellationToken.None),
        ["operation"] = static (_, scheduler, body) => scheduler.Run(
            () =>
            {
                body();
                return Task.CompletedTask;
            },
            CancellationToken.None),
        ["async"] = static (_, scheduler, body) => scheduler.RunAsync(
            async () =>
            {
                await Task.Yield();
                body();
            },
            CancellationToken.None),
        ["keyed"] = static (_, scheduler, body) => new KeyedQueue<string>(scheduler).Run("key", () => body(), CancellationToken.None),
        ["keyed callback"] = static (_, scheduler, body) => new KeyedQueue<string>(scheduler).Queue("key", _ => body(), 0),
        ["options"] = static (_, scheduler, body) => scheduler.Run(() => body(), new WorkOptions { Priority = WorkPriority.High }),
        ["with a name"] = static (_, scheduler, body) => scheduler.Run(() => body(), new WorkOptions { Name = "named", StartWithin = TimeSpan.FromDays(1) }),
        ["raw with a name"] = static (_, scheduler, body) => scheduler.QueueUserWorkItem(_ => body(), null, new WorkOptions { Name = "named" }),
        ["later"] = static (under, scheduler, body) => Ended(under, scheduler.RunAfter(TimeSpan.Zero, () => body(), CancellationToken.None)),
        ["later with options"] = static (under, scheduler, body) => Ended(
            under, scheduler.WithOptions(new WorkOptions { Priority = WorkPriority.Low }).RunAfter(TimeSpan.Zero, () => body(), CancellationToken.None)),
        ["every"] = static (under, scheduler, body) =>
        {
            using var end = new CancellationTokenSource();

            // The first run ends the series.
            Ended(under, scheduler.RunEvery(
                TimeSpan.FromMilliseconds(1),
                () =>
                {
                    end.Cancel();
                    body();
                },
                end.Token));
        },
        ["scheduler"] = static (_, scheduler, body) => Task.Factory.StartNew(() => body(), CancellationToken.None, TaskCreationOptions.None, scheduler.Scheduler),
    };

    /// <summary>Each way, in a pool without a limit and in one with a limit.</summary>
    public static TheoryData<string, int?> All
    {
        get
        {
            var ways = new TheoryData<string, int?>();
            foreach (string way in s_ways.Keys)
            {
                ways.Add(way, null);
                ways.Add(way, 10);
            }

            return ways;
        }
    }

    public static void Start(SchedulerUnderTest under, string way, Action body) => s_ways[way](under, under.Scheduler, body);

    private static void Ended(SchedulerUnderTest under, Task task) => under.Until(() => task.IsCompleted);
}
