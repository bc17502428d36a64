using System.CommandLine;
using System.Globalization;
using NativeThreading.Tables.Allocation;
using NativeThreading.Tables.Cohost;
using NativeThreading.Tables.Compare;
using NativeThreading.Tables.Core;
using NativeThreading.Tables.Crowded;
using NativeThreading.Tables.Echo;
using NativeThreading.Tables.EventLoops;
using NativeThreading.Tables.HandOver;
using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Idle;
using NativeThreading.Tables.Isolation;
using NativeThreading.Tables.Jobs;
using NativeThreading.Tables.Kestrel;
using NativeThreading.Tables.Kestrel.Clients;
using NativeThreading.Tables.Keyed;
using NativeThreading.Tables.Metrics;
using NativeThreading.Tables.Order;
using NativeThreading.Tables.ParallelLoops;
using NativeThreading.Tables.PoolTimers;
using NativeThreading.Tables.Priorities;
using NativeThreading.Tables.Processes;
using NativeThreading.Tables.Quiet;
using NativeThreading.Tables.Quwi;
using NativeThreading.Tables.RoundTrip;
using NativeThreading.Tables.Scale;
using NativeThreading.Tables.SerialWakeup;
using NativeThreading.Tables.Skynet;
using NativeThreading.Tables.Starvation;
using NativeThreading.Tables.Startup;
using NativeThreading.Tables.Tasks;
using NativeThreading.Tables.Xtask;

if (args is [RunOnce.Command, var table, var run, var seconds])
{
    TimeSpan time = RunOnce.Seconds(seconds);
    return RunOnce.Answer(table switch
    {
        "starvation" => StarvationTable.Once(run, time),
        "core" => CoreTable.Once(run, time),
        "idle" => IdleTable.Once(run, time),
        "metrics" => ViewedApplication.Once(run, time),
        "quartz" => JobRuns.Once(run, time),
        _ => throw new MeasurementException($"the table {table} runs nothing by itself."),
    });
}

if (args is [BuiltInLoad.Command or WebSocketLoad.Command or GreedyLoad.Command or PacedLoad.Command or UnevenLoad.Command, var target, var connections, var window, .. var how])
{
    var order = new LoadOrder(new Uri(target), int.Parse(connections, CultureInfo.InvariantCulture), RunOnce.Seconds(window))
    {
        Closes = how.Contains(BuiltInLoad.Closes),
        Posts = how.Contains(BuiltInLoad.Posts),
    };
    return args[0] switch
    {
        WebSocketLoad.Command => WebSocketLoad.Answer(order),
        GreedyLoad.Command => GreedyLoad.Answer(order),
        PacedLoad.Command => PacedLoad.Answer(order),
        UnevenLoad.Command => UnevenLoad.Answer(order),
        _ => BuiltInLoad.Answer(order),
    };
}

if (args is [IdleConnections.Command, var idleTarget, var count])
{
    return IdleConnections.Answer(new Uri(idleTarget), int.Parse(count, CultureInfo.InvariantCulture));
}

if (args is [Scene.BusyCommand])
{
    return Scene.Compute();
}

Table[] tables =
[
    new QuwiTable(),
    new RoundTripTable(),
    new OrderTable(),
    new QuietTable(),
    new AllocationTable(),
    new EventLoopTable(),
    new HandOverTable(),
    new XtaskTable(),
    new SkynetTable(),
    new SerialWakeupTable(),
    new TasksTable(),
    new KeyedTable(),
    new ParallelTable(),
    new EchoTable(),
    new StarvationTable(),
    new IdleTable(),
    new CohostTable(),
    new CrowdedTable(),
    new MetricsTable(),
    new IsolationTable(),
    new KestrelTable(),
    new QuartzTable(),
    new CoreTable(),
    new StartupTable(),
    new PoolTimersTable(),
    new PrioritiesTable(),
    new ScaleTable(),
    new SimulateTable(),
];
RootCommand root = TableCommand.Root(tables);
root.Add(CompareCommand.Create());
return root.Parse(args).Invoke();
