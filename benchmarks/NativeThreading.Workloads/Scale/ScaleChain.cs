namespace NativeThreading.Workloads.Scale;

/// <summary>A chain of items, each of which queues the next one.</summary>
internal sealed class ScaleChain(ScaleChains chains)
{
    private static readonly Action<ScaleChain> s_step = static chain => chain.Step();

    private int _left = ScalePlan.ChainDepth;

    public void Queue() => chains.Pool.UnsafeQueue(s_step, this, chains.IsLocal);

    private void Step()
    {
        if (--_left > 0)
        {
            Queue();
        }
        else
        {
            chains.EndOne();
        }
    }
}

/// <summary>All chains of a run, started by as many items as there are workers.</summary>
internal sealed class ScaleChains(OwnPool pool, int workers, bool isLocal)
{
    private readonly TaskCompletionSource _ended = new();
    private PaddedCount _left = new() { Value = ScalePlan.Chains(workers) };

    public OwnPool Pool => pool;

    public bool IsLocal => isLocal;

    public bool Run(TimeSpan deadline)
    {
        for (int i = 0; i < workers; i++)
        {
            pool.UnsafeQueue(() =>
            {
                for (int chain = ScalePlan.Chains(workers) / workers; chain > 0; chain--)
                {
                    new ScaleChain(this).Queue();
                }
            });
        }

        return _ended.Task.Wait(deadline);
    }

    public void EndOne()
    {
        if (Interlocked.Decrement(ref _left.Value) == 0)
        {
            _ended.SetResult();
        }
    }
}
