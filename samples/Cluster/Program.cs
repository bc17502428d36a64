using System.CommandLine;
using NativeThreading.Samples.Cluster;

var nodes = new Option<int>("--nodes") { Description = "Worker processes.", DefaultValueFactory = _ => 1 };
var items = new Option<int>("--items") { Description = "Work items.", DefaultValueFactory = _ => 1_000 };
var keys = new Option<int>("--keys") { Description = "Items that a trigger carries, done one after the other.", DefaultValueFactory = _ => 1 };
var schedulers = new Option<int>("--schedulers") { Description = "Quartz schedulers that share the items by a hash of their keys. Each node runs all of them, on one pool; --concurrency and --connections are for all together.", DefaultValueFactory = _ => 1 };
var database = new Option<string?>("--database") { Description = "Connection string of a PostgreSQL; memory; or own, which starts one if it is installed. Else that of the configuration, ConnectionStrings:Cluster; else memory for one node and own for several." };
var chaos = new Option<bool>("--chaos") { Description = "Kills one node, stops another for longer than the others wait for it, restarts a database of its own, and lets what is recovered fail once." };
var threads = new Option<int>("--threads") { Description = "MaxThreads of each node's pool.", DefaultValueFactory = _ => 2 };
var concurrency = new Option<int?>("--concurrency") { Description = "Items at once on each node. By default 20, or with --compute the number of threads: other nodes cannot run items that a node has taken and not started." };
var connections = new Option<int>("--connections") { Description = "Database connections of each node, for its schedulers and its items together.", DefaultValueFactory = _ => 16 };
var wait = new Option<int>("--wait-ms") { Description = "How long an item awaits something.", DefaultValueFactory = _ => 5 };
var block = new Option<int>("--block-ms") { Description = "How long an item blocks its thread." };
var compute = new Option<int>("--compute") { Description = "How many million steps of arithmetic an item takes." };
var runtimePool = new Option<bool>("--quartz-pool") { Description = "Quartz's own thread pool instead, for comparison." };
var limit = new Option<int>("--minutes") { Description = "Gives up after so long.", DefaultValueFactory = _ => 30 };
var node = new Option<string?>("--node") { Description = "What the program passes to the nodes that it starts: the node's name.", Hidden = true };

var command = new RootCommand("Work items fanned out over processes by Quartz.NET's cluster, each of which counts once, whatever happens to a process.");
foreach (Option option in new Option[] { nodes, items, keys, schedulers, database, chaos, threads, concurrency, connections, wait, block, compute, runtimePool, limit, node })
{
    command.Add(option);
}

command.SetAction((line, cancelled) =>
{
    var settings = new ClusterSettings(
        line.GetValue(nodes), line.GetValue(items), line.GetValue(keys), line.GetValue(schedulers), line.GetValue(database), line.GetValue(chaos),
        line.GetValue(threads), line.GetValue(concurrency) ?? (line.GetValue(compute) > 0 ? line.GetValue(threads) : 20), line.GetValue(connections),
        TimeSpan.FromMilliseconds(line.GetValue(wait)), TimeSpan.FromMilliseconds(line.GetValue(block)), line.GetValue(compute),
        line.GetValue(runtimePool), TimeSpan.FromMinutes(line.GetValue(limit)));
    return line.GetValue(node) is { } name ? Node.RunAsync(name, settings, cancelled) : Coordinator.RunAsync(settings, args, cancelled);
});
return await command.Parse(args).InvokeAsync();
