namespace NativeThreading.Simulation;

/// <summary>A thread outside queues empty items and waits for all of them, several times.</summary>
internal sealed class FanOut(SimulatedPool pool) : Shape(pool)
{
    private SimulatedProducer? _producer;

    public override void Begin()
    {
        int next = 0;
        _producer = Pool.AddProducer(() =>
        {
            int at = next++ % (ScalePlan.FanOutItems + 1);
            return next > ScalePlan.FanOutRounds * (ScalePlan.FanOutItems + 1) ? null : new SimulatedItem(at == ScalePlan.FanOutItems ? Wait : 0);
        });
        _producer.Begin();
    }

    public override bool GoOn(SimulatedWorker worker, ref SimulatedItem item)
    {
        _producer!.EndOne(worker);
        return true;
    }
}
