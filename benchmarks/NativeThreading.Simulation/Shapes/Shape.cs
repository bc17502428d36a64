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
}
