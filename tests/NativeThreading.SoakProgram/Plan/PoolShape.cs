namespace NativeThreading.SoakProgram.Plan;

/// <summary>How a planned pool is set up.</summary>
internal sealed record PoolShape(
    int MaxThreads,
    int MinThreads,
    int MaxBlockedThreads,
    int IdleMicroseconds,
    bool Lingers,
    int StackSize,
    int? QueueLimit,
    QueueFullMode Mode,
    bool MeasuresWaits,
    bool StartsFail)
{
    /// <summary>The smallest stack a pool takes.</summary>
    public const int SmallStack = 256 * 1024;

    /// <summary>More blocked threads than there ever are.</summary>
    private const int Unlimited = 2_000;

    /// <summary>Whether an item may block until another one has run that it does not help with: where every thread that there
    /// may be does so, no thread is left, as the options say.</summary>
    public bool MayWait => MaxBlockedThreads == Unlimited;

    public static PoolShape Roll(Dice dice)
    {
        int threads = dice.Between(1, 4);
        return new PoolShape(
            threads,
            dice.OneIn(4) ? dice.Between(1, threads) : 0,
            dice.OneIn(6) ? dice.Between(0, 4) : Unlimited,
            dice.Of(100, 1_000, 5_000, 20_000_000),
            !dice.OneIn(4),
            dice.OneIn(4) ? SmallStack : 0,
            dice.OneIn(3) ? dice.Of(1, 2, 7, 100) : null,
            dice.Of(QueueFullMode.Reject, QueueFullMode.Wait, QueueFullMode.RunOnCaller),
            dice.OneIn(4),
            dice.OneIn(8));
    }

    public override string ToString() =>
        $"{MinThreads} to {MaxThreads} threads + {MaxBlockedThreads}, idle for {IdleMicroseconds} us"
        + $"{(QueueLimit is null ? "" : $", limit {QueueLimit} {Mode}")}{(StackSize == 0 ? "" : ", small stack")}"
        + $"{(Lingers ? "" : ", no linger")}{(MeasuresWaits ? ", measured" : "")}{(StartsFail ? ", starved" : "")}";
}
