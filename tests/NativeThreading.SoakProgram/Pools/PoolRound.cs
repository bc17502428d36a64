using NativeThreading.SoakProgram.Accounts;
using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Tracks;
using NativeThreading.SoakProgram.Watch;

namespace NativeThreading.SoakProgram.Pools;

/// <summary>The life of one pool: created, used as planned, ended as planned, and checked.</summary>
internal sealed partial class PoolRound : Round
{
    private readonly PoolRoundPlan _plan;

    public PoolRound(SoakRun soak, PhaseWatch phase, string name, PoolRoundPlan plan)
        : base(soak, phase, new Account(Describe(name, plan), soak.Verdict.Fail))
    {
        _plan = plan;
        Enter("pool: create");
        Pool = new NativeThreadPool(Options(name));
    }

    public NativeThreadPool Pool { get; }

    public PoolShape Shape => _plan.Shape;

    public void Run()
    {
        RunSteps(_plan.Steps, _plan.EndsBeforeStep, $"end: {_plan.Ending}");
        Enter("pool: helpers");
        JoinHelpers();
        Enter("pool: shutdown");
        Task<long> dropped = Pool.ShutdownAsync(CancellationToken.None);
        Await(dropped);
        Enter("pool: balance");
        bool balances = Balance(() => dropped.Result - StoppedCalls + Pool.Leftovers.CancelledLateCount);
        Enter("pool: threads");
        Check(balances);
        Leave();
        Soak.Tally.Add("pools");
        Soak.Tally.Add($"end: {_plan.Ending}");
    }

    protected override void RunStep(Step step, Dice dice)
    {
        Ingredient ingredient = PoolIngredients.All[step.Ingredient];
        Enter($"step: {ingredient.Name}");
        ingredient.Run(this, step, dice);
        Soak.Tally.Add($"step: {ingredient.Name}");
        if (step.IsAwaited)
        {
            Enter("pool: items");
            var stranded = new StrandedItems(Pool);
            Soak.Until(() =>
            {
                if (stranded.Look(Soak.Clock.Now) is { } error)
                {
                    Account.Report(error);
                }

                return HasSettled;
            });
        }
    }

    private void Check(bool balances)
    {
        if (!Soak.Until(() => Pool.ThreadCount == 0 && Pool.LongRunningThreadCount == 0, Soak.Limits.Balance))
        {
            Account.Report($"{Pool.ThreadCount} workers and {Pool.LongRunningThreadCount} threads of long tasks are left");
        }

        if (Pool.RepairCount != 0)
        {
            Account.Report($"{Pool.RepairCount} wakes were lost and repeated");
        }

        if (balances && (!Pool.IsStopped || Pool.PendingWorkItemCount != 0))
        {
            Account.Report($"stopped: {Pool.IsStopped}, pending: {Pool.PendingWorkItemCount}");
        }
    }

    private static string Describe(string name, PoolRoundPlan plan) =>
        $"{name}, {plan.Shape}, {plan.Ending} before step {plan.EndsBeforeStep} of "
        + $"{string.Join(" ", plan.Steps.Select(static s => $"{PoolIngredients.All[s.Ingredient].Name}*{s.Size}{(s.IsAwaited ? "!" : "")}"))}";

    private NativeThreadPoolOptions Options(string name) => new()
    {
        Name = Shape.StartsFail ? name + StartFailures.Mark : name,
        MaxThreads = Shape.MaxThreads,
        MinThreads = Shape.MinThreads,
        MaxBlockedThreads = Shape.MaxBlockedThreads,
        IdleTimeout = TimeSpan.FromMicroseconds(Shape.IdleMicroseconds),
        LingerTime = Shape.Lingers ? null : TimeSpan.Zero,
        MaxStackSize = Shape.StackSize,
        QueueLimit = Shape.QueueLimit,
        QueueFullMode = Shape.Mode,
        MeasureQueueDuration = Shape.MeasuresWaits,
        UnhandledException = exception => Soak.Handle(exception, MayBeInterrupted),
    };
}
