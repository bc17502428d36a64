namespace NativeThreading.Simulation;

/// <summary>The steps that shapes consist of.</summary>
internal enum Step
{
    Wait, // no item: its producer waits for those before it
    Producer, // queues its share of chains
    Link, // of a chain: queues the next one
    Node, // of skynet: queues ten nodes, until there are so many leaves
    Empty,
    Request, // queues its children
    Child, // the last one of a request queues the end of it, in the global order
    End,
}

/// <summary>An item: the values from which its shape continues.</summary>
/// <param name="Step">What it does.</param>
/// <param name="Number">Of its request; the leaves below a node.</param>
/// <param name="Left">How much is still to be done.</param>
internal readonly record struct SimulatedItem(Step Step, int Number = 0, int Left = 0);

/// <summary>What items do: how long they take, and which ones they queue. The first ones come from threads outside.</summary>
internal sealed class SimulatedWork(SimulatedPool pool, ScaleShape shape)
{
    private readonly int[] _children = [.. Enumerable.Repeat(ScalePlan.RequestChildren, ScalePlan.Requests)];
    private SimulatedProducer[] _outside = [];

    private bool IsLocal => shape == ScaleShape.QuwiLocal;

    /// <summary>Adds the producers, and lets them begin.</summary>
    public void Begin()
    {
        int count = shape == ScaleShape.Service ? ScalePlan.Clients(pool.Workers.Length) : 1;
        _outside = [.. Enumerable.Range(0, count).Select(producer => pool.AddProducer(First(producer, pool.Workers.Length)))];
    }

    /// <summary>How long an item computes.</summary>
    public long TimeOf(in SimulatedItem item) => item.Step >= Step.Request ? pool.Vary((long)(ScalePlan.RequestItemMicroseconds * 1_000)) : 0;

    /// <summary>Behind that time: queues what it queues. <see langword="false"/>: there is more of it, at the worker's next step.</summary>
    public bool GoOn(SimulatedWorker worker, ref SimulatedItem item)
    {
        bool isLast = (item = item with { Left = item.Left - 1 }).Left <= 0;
        switch (item.Step)
        {
            case Step.Producer:
                worker.Push(new SimulatedItem(Step.Link, Left: ScalePlan.ChainDepth), IsLocal);
                return isLast;
            case Step.Link when !isLast:
                worker.Push(item, IsLocal);
                return true;
            case Step.Node when item.Number > 1:
                worker.Push(new SimulatedItem(Step.Node, item.Number / ScalePlan.Children, ScalePlan.Children), local: true);
                return isLast;
            case Step.Request:
                worker.Push(new SimulatedItem(Step.Child, item.Number), local: true);
                return isLast;
            case Step.Child when --_children[item.Number] == 0:
                worker.Push(new SimulatedItem(Step.End, item.Number), local: false);
                return true;
            case Step.Empty or Step.End:
                _outside[item.Number * _outside.Length / ScalePlan.Requests].EndOne(worker);
                return true;
            default:
                return true;
        }
    }

    private IEnumerable<SimulatedItem> First(int producer, int workers)
    {
        if (shape == ScaleShape.Service)
        {
            int each = ScalePlan.Requests / ScalePlan.Clients(workers);
            IEnumerable<int> requests = Enumerable.Range(producer * each, each);
            return requests.Chunk(ScalePlan.RequestsAtOnce).SelectMany(static chunk =>
                chunk.Select(static request => new SimulatedItem(Step.Request, request, ScalePlan.RequestChildren)).Append(new SimulatedItem(Step.Wait)));
        }

        return shape switch
        {
            ScaleShape.Skynet => [new SimulatedItem(Step.Node, ScalePlan.Leaves(workers), ScalePlan.Children)],
            ScaleShape.FanOut => Enumerable.Range(0, ScalePlan.FanOutRounds).SelectMany(
                static _ => Enumerable.Repeat(new SimulatedItem(Step.Empty), ScalePlan.FanOutItems).Append(new SimulatedItem(Step.Wait))),
            _ => Enumerable.Repeat(new SimulatedItem(Step.Producer, Left: ScalePlan.Chains(workers) / workers), workers),
        };
    }
}
