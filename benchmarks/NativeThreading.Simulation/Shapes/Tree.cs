namespace NativeThreading.Simulation;

/// <summary>Skynet: a node queues ten nodes, until there are so many leaves.</summary>
internal sealed class Tree(SimulatedPool pool) : Shape(pool)
{
    public override void Begin()
    {
        bool isOver = false;
        Pool.AddProducer(() =>
        {
            (bool before, isOver) = (isOver, true);
            return before ? null : new SimulatedItem(0, Number: ScalePlan.Leaves(Pool.Workers.Length), Left: ScalePlan.Children);
        }).Begin();
    }

    public override bool GoOn(SimulatedWorker worker, ref SimulatedItem item)
    {
        if (item.Number == 1)
        {
            return true;
        }

        worker.Push(new SimulatedItem(0, item.Number / ScalePlan.Children, ScalePlan.Children), local: true);
        item = item with { Left = item.Left - 1 };
        return item.Left == 0;
    }
}
