namespace NativeThreading.Simulation;

/// <summary>What items do: how long they take, and which ones they queue.</summary>
internal abstract class Shape(SimulatedPool pool)
{
    /// <summary>No item: its producer waits for those before it.</summary>
    public const int Wait = -1;

    protected SimulatedPool Pool => pool;

    public static Shape Create(ScaleShape shape, SimulatedPool pool) => shape switch
    {
        ScaleShape.QuwiGlobal => new Chains(pool, isLocal: false),
        ScaleShape.QuwiLocal => new Chains(pool, isLocal: true),
        ScaleShape.Skynet => new Tree(pool),
        ScaleShape.FanOut => new FanOut(pool),
        _ => new Service(pool),
    };

    /// <summary>Adds the producers, and lets them begin.</summary>
    public abstract void Begin();

    /// <summary>How long an item computes.</summary>
    public virtual long TimeOf(in SimulatedItem item) => 0;

    /// <summary>Behind that time: queues what it queues. <see langword="false"/>: there is more of it, at the worker's next step.</summary>
    public abstract bool GoOn(SimulatedWorker worker, ref SimulatedItem item);

    /// <summary>Whether the item has queued its last one.</summary>
    protected static bool CountDown(ref SimulatedItem item) => (item = item with { Left = item.Left - 1 }).Left == 0;
}

/// <summary>As many producers as workers, each an item; each queues its share of chains, whose items queue the next one.</summary>
internal sealed class Chains(SimulatedPool pool, bool isLocal) : Shape(pool)
{
    private const int Producer = 0;
    private const int Link = 1;

    public override void Begin()
    {
        int workers = Pool.Workers.Length;
        Pool.AddProducer(Enumerable.Repeat(new SimulatedItem(Producer, Left: ScalePlan.Chains(workers) / workers), workers));
    }

    public override bool GoOn(SimulatedWorker worker, ref SimulatedItem item)
    {
        if (item.Kind == Producer)
        {
            worker.Push(new SimulatedItem(Link, Left: ScalePlan.ChainDepth), isLocal);
            return CountDown(ref item);
        }

        if (!CountDown(ref item))
        {
            worker.Push(item, isLocal);
        }

        return true;
    }
}

/// <summary>Skynet: a node queues ten nodes, until there are so many leaves.</summary>
internal sealed class Tree(SimulatedPool pool) : Shape(pool)
{
    public override void Begin() => Pool.AddProducer([new SimulatedItem(0, ScalePlan.Leaves(Pool.Workers.Length), ScalePlan.Children)]);

    public override bool GoOn(SimulatedWorker worker, ref SimulatedItem item)
    {
        if (item.Number == 1)
        {
            return true;
        }

        worker.Push(new SimulatedItem(0, item.Number / ScalePlan.Children, ScalePlan.Children), local: true);
        return CountDown(ref item);
    }
}

/// <summary>A thread outside queues empty items and waits for all of them, several times.</summary>
internal sealed class FanOut(SimulatedPool pool) : Shape(pool)
{
    private SimulatedProducer? _producer;

    public override void Begin()
    {
        IEnumerable<SimulatedItem> round = Enumerable.Repeat(new SimulatedItem(0), ScalePlan.FanOutItems).Append(new SimulatedItem(Wait));
        _producer = Pool.AddProducer(Enumerable.Repeat(round, ScalePlan.FanOutRounds).SelectMany(static items => items));
    }

    public override bool GoOn(SimulatedWorker worker, ref SimulatedItem item)
    {
        _producer!.EndOne(worker);
        return true;
    }
}

/// <summary>Clients outside send some requests, and wait. A request is an item, its local children, and a last one in the global order.</summary>
internal sealed class Service(SimulatedPool pool) : Shape(pool)
{
    private const int First = 0;
    private const int Child = 1;
    private const int Last = 2;

    private readonly int[] _children = [.. Enumerable.Repeat(ScalePlan.RequestChildren, ScalePlan.Requests)];
    private SimulatedProducer[] _clients = [];

    public override void Begin()
    {
        int clients = ScalePlan.Clients(Pool.Workers.Length);
        int each = ScalePlan.Requests / clients;
        _clients = [.. Enumerable.Range(0, clients).Select(client => Pool.AddProducer(Enumerable.Range(client * each, each).SelectMany(
            request => request % ScalePlan.RequestsAtOnce == 0 && request % each != 0 ? [new SimulatedItem(Wait), Request(request)] : new[] { Request(request) })))];
    }

    public override long TimeOf(in SimulatedItem item) => Pool.Vary((long)(ScalePlan.RequestItemMicroseconds * 1_000));

    public override bool GoOn(SimulatedWorker worker, ref SimulatedItem item)
    {
        if (item.Kind == First)
        {
            worker.Push(new SimulatedItem(Child, item.Number), local: true);
            return CountDown(ref item);
        }

        if (item.Kind == Last)
        {
            _clients[item.Number / (ScalePlan.Requests / _clients.Length)].EndOne(worker);
        }
        else if (--_children[item.Number] == 0)
        {
            worker.Push(new SimulatedItem(Last, item.Number), local: false);
        }

        return true;
    }

    private static SimulatedItem Request(int number) => new(First, number, ScalePlan.RequestChildren);
}
