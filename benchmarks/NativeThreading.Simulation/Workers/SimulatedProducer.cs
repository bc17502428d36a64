namespace NativeThreading.Simulation;

/// <summary>A thread outside: it enqueues items one after the other, and sleeps until all that it waits for have ended.</summary>
/// <param name="pool">The pool.</param>
/// <param name="index">Among the agents.</param>
/// <param name="next">The items, one after the other; none: it waits for those that are open.</param>
internal sealed class SimulatedProducer(SimulatedPool pool, int index, Func<SimulatedItem?> next) : Agent(pool, index)
{
    private const long LingerTime = 25_000;
    private const int ItemsPerRequest = 32;

    private long _open;
    private long _waitsSince = -1;

    /// <summary>Begins at the beginning.</summary>
    public void Begin() => PlanAt(0);

    /// <summary>One of its items has ended, on the worker that calls.</summary>
    public void EndOne(Agent worker)
    {
        if (--_open != 0 || _waitsSince < 0)
        {
            return;
        }

        bool polls = worker.Now - _waitsSince < LingerTime;
        if (polls)
        {
            PlanAt(worker.Now + Costs.Transfer);
        }
        else
        {
            worker.Charge(LineKind.Wake, Costs.Wake);
            PlanAt(worker.Now - Costs.Wake + Costs.WakeLatency);
        }

        _waitsSince = -1;
    }

    protected override void Step()
    {
        if (next() is not { } item)
        {
            return;
        }

        if (item.Kind == Shape.Wait)
        {
            if (_open != 0)
            {
                _waitsSince = Now;
                return;
            }
        }
        else
        {
            _open++;
            Spend(Costs.Make);
            SimulatedShard shard = Pool.Shards[Index & (Pool.Shards.Length - 1)];
            shard.Enqueue(this, item);
            bool asks = !Pool.Mending.HasFlag(Mending.RareRequests) || shard.Items.Count % ItemsPerRequest == 1;
            Pool.Signal.Word.Read(this);
            if (asks && Pool.Signal.IdleCount != 0)
            {
                Pool.Signal.Request(this);
            }
        }

        PlanAt(Now);
    }
}
