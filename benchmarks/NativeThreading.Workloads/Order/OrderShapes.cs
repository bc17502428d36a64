namespace NativeThreading.Workloads.Order;

/// <summary>The rows of the table.</summary>
internal static class OrderShapes
{
    private static readonly (double Microseconds, int Items)[] s_costs =
    [
        (0.1, 100_000), (1, 50_000), (20, 2_000), (100, 200), (1_000, 60), (10_000, 40),
    ];

    private static readonly double[] s_few = [20, 1_000, 10_000];
    private static readonly double[] s_long = [100, 1_000, 10_000];

    public static IEnumerable<OrderShape> All =>
    [
        .. s_costs.Select(cost => new OrderShape(Queueing.Outside, 1, cost.Microseconds, cost.Items)),
        .. s_costs.Select(cost => new OrderShape(Queueing.Outside, 4, cost.Microseconds, cost.Items / (cost.Microseconds < 10_000 ? 2 : 4))),
        .. Few(Queueing.Worker, s_few),
        .. Few(Queueing.Factory, s_few),
        .. Few(Queueing.Limited, s_few),
        .. Few(Queueing.Blocked, s_few),
        .. Few(Queueing.ShortThenLong, s_long),
    ];

    private static IEnumerable<OrderShape> Few(Queueing queueing, double[] costs) =>
        s_costs.Where(cost => costs.Contains(cost.Microseconds)).Select(cost => new OrderShape(queueing, 1, cost.Microseconds, cost.Microseconds < 10_000 ? cost.Items : cost.Items / 2));
}
