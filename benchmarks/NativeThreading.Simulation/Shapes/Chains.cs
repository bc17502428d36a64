namespace NativeThreading.Simulation;

/// <summary>As many producers as workers, each an item; each queues its share of chains, whose items queue the next one.</summary>
internal sealed class Chains(SimulatedPool pool, bool isLocal) : Shape(pool)
{
    private const int Producer = 0;
    private const int Link = 1;

    public override void Begin()
    {
        int left = Pool.Workers.Length;
        int each = ScalePlan.Chains(left) / left;
        Pool.AddProducer(() => left-- > 0 ? new SimulatedItem(Producer, Left: each) : null).Begin();
    }

    public override bool GoOn(SimulatedWorker worker, ref SimulatedItem item)
    {
        if (item.Kind == Producer)
        {
            worker.Push(new SimulatedItem(Link, Left: ScalePlan.ChainDepth), isLocal);
            item = item with { Left = item.Left - 1 };
            return item.Left == 0;
        }

        if (item.Left > 1)
        {
            worker.Push(item with { Left = item.Left - 1 }, isLocal);
        }

        return true;
    }
}
