using System.Globalization;

namespace NativeThreading.Workloads.Order;

/// <summary>What one row does: so many producers queue so many items each, which cost so much.</summary>
internal sealed record OrderShape(Queueing Queueing, int Producers, double Microseconds, int Items)
{
    /// <summary>Of the pool of <see cref="Queueing.Limited"/>.</summary>
    public const int QueueLimit = 100;

    /// <summary>Short items that a producer of <see cref="Queueing.ShortThenLong"/> queues first. They take longer than queueing
    /// them, so that most of them wait when the long ones come.</summary>
    private const int ShortItems = 5_000;

    private const double ShortMicroseconds = 1;

    public string Name => $"order/{Kind}/{Cost}";

    /// <summary>Items of a producer that run before those which are looked at.</summary>
    public int Unjudged => Queueing == Queueing.ShortThenLong ? ShortItems : 0;

    /// <summary>The target for 99 % of the items, in microseconds.</summary>
    public double Target => Math.Max(100, 3 * Microseconds);

    /// <summary>How many later items may start before an earlier one; null for items too short to be held to it.</summary>
    public int? TargetBefore => Microseconds >= 50 ? Environment.ProcessorCount + 3 : null;

    private string Cost => Microseconds < 1_000
        ? string.Create(CultureInfo.InvariantCulture, $"{Microseconds}us")
        : string.Create(CultureInfo.InvariantCulture, $"{Microseconds / 1_000}ms");

    private string Kind => Queueing switch
    {
        Queueing.Outside => $"outside/producers={Producers}",
        Queueing.Worker => "worker",
        Queueing.Factory => "factory",
        Queueing.Limited => $"limit={QueueLimit}",
        Queueing.Blocked => "one-blocked",
        _ => "short-then-long",
    };

    /// <summary>A producer's items, in the order of queueing.</summary>
    public OrderItem[] CreateItems(OrderRun run)
    {
        int steps = BusyWork.StepsFor(Microseconds);
        int blocking = Queueing == Queueing.Blocked ? Items / 4 : -1;
        IEnumerable<OrderItem> items = Enumerable.Range(0, Items).Select(i => new OrderItem(run, steps, blocks: i == blocking));
        if (Queueing == Queueing.ShortThenLong)
        {
            int shortSteps = BusyWork.StepsFor(ShortMicroseconds);
            items = Enumerable.Range(0, ShortItems).Select(_ => new OrderItem(run, shortSteps, blocks: false)).Concat(items);
        }

        return [.. items];
    }
}
