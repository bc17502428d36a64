namespace NativeThreading.Tables.EventLoops;

/// <summary>Submits works that do nothing to a pool; the last completion on the loop ends the turn.</summary>
internal sealed class OffloadChain : TurnChain
{
    /// <summary>Of libuv's pool, too.</summary>
    public const int Workers = 4;

    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(5);
    private static readonly Action<object?> s_work = static _ => { };
    private static readonly Action<object?> s_completed = static chain => ((OffloadChain)chain!).Completed();

    private readonly NativeThreadPool _pool;
    private readonly int _count;
    private int _completed;
    private long _before;

    public OffloadChain(NativeThreadPool pool, int count)
        : base($"offload-{count}", executionsPerTurn: count, iterationsPerTurn: 1) => (_pool, _count) = (pool, count);

    protected override void Prepare() => _before = _pool.CompletedWorkItemCount;

    protected override void Check()
    {
        // The worker of the last work counts it after that has called back.
        if (!SpinWait.SpinUntil(() => _pool.CompletedWorkItemCount - _before == Executed, s_deadline))
        {
            throw new MeasurementException($"the pool ran {_pool.CompletedWorkItemCount - _before} works instead of {Executed}.");
        }
    }

    protected override void StartTurn()
    {
        _completed = 0;
        for (int i = 0; i < _count; i++)
        {
            Loop.Offload(_pool, s_work, s_completed, this);
        }
    }

    private void Completed()
    {
        Executed++;
        if (++_completed == _count)
        {
            EndTurn();
        }
    }
}
