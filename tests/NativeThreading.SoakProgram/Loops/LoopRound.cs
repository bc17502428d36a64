using System.Collections.Concurrent;
using NativeThreading.SoakProgram.Accounts;
using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Pools;
using NativeThreading.SoakProgram.Tracks;
using NativeThreading.SoakProgram.Watch;

namespace NativeThreading.SoakProgram.Loops;

/// <summary>The life of one loop: created, used as planned, ended as planned, and checked.</summary>
internal sealed partial class LoopRound : Round
{
    private readonly LoopRoundPlan _plan;
    private readonly ConcurrentQueue<Ticket> _lapsing = [];
    private readonly ConcurrentQueue<IDisposable> _owned = [];

    public LoopRound(SoakRun soak, PhaseWatch phase, string name, LoopRoundPlan plan)
        : base(soak, phase, new Account(Describe(name, plan), soak.Verdict.Fail))
    {
        _plan = plan;
        Enter("loop: create");
        Loop = Create(plan.StartsFail ? name + StartFailures.Mark : name);
        soak.Loops.Add(Loop);
    }

    public EventLoop Loop { get; }

    /// <summary>Whether the end of the loop drops nothing: then operations with tokens can be told from dropped ones.</summary>
    public bool IsNeverStopped => _plan.Ending is not (LoopEnding.StoppedAtOnce or LoopEnding.StoppedWhileDraining or LoopEnding.TwiceAtOnce);

    public void Run()
    {
        RunSteps(_plan.Steps, _plan.EndsBeforeStep, $"loop end: {_plan.Ending}");
        Enter("loop: helpers");
        JoinHelpers();
        Enter("loop: shutdown");
        long dropped = Loop.ShutdownAsync(CancellationToken.None).GetAwaiter().GetResult();
        Enter("loop: thread");
        if (!Soak.Until(() => Loop.Thread is not { IsAlive: true }, Soak.Limits.Balance))
        {
            Account.Report("its thread is left");
        }

        Enter("loop: balance");
        Lapse();
        Balance(() => dropped);
        Leave();
        Soak.Tally.Add("loops");
        Soak.Tally.Add($"loop end: {_plan.Ending}");
    }

    /// <summary>What a timer or a descriptor is to bring about: once, or, where the loop ends before, never. From any thread.</summary>
    public Ticket Expect(string kind)
    {
        Ticket ticket = Account.Issue(kind);
        _lapsing.Enqueue(ticket);
        return ticket;
    }

    /// <summary>Disposed of when the loop has ended.</summary>
    public T Own<T>(T resource)
        where T : IDisposable
    {
        _owned.Enqueue(resource);
        return resource;
    }

    private EventLoop Create(string name)
    {
        while (true)
        {
            try
            {
                return new EventLoop(new EventLoopOptions
                {
                    Name = name,
                    MaxStackSize = _plan.HasSmallStack ? PoolShape.SmallStack : 0,
                    UnhandledException = exception => Soak.Handle(exception, mayBeInterrupted: false),
                });
            }
            catch (OutOfMemoryException)
            {
                Soak.Tally.Add("loops without a thread");
            }
        }
    }

    protected override void RunStep(Step step, Dice dice)
    {
        LoopIngredient ingredient = LoopIngredients.All[step.Ingredient];
        Enter($"loop step: {ingredient.Name}");
        ingredient.Run(this, step, dice);
        Soak.Tally.Add($"loop step: {ingredient.Name}");
        if (step.IsAwaited)
        {
            Enter("loop: items");
            Soak.Until(() => HasSettled);
        }
    }

    /// <summary>The loop has ended: none of its own timers fires any more, and no descriptor is reported.</summary>
    private void Lapse()
    {
        foreach (Ticket ticket in _lapsing)
        {
            ticket.TryRefuse(); // a delay that outlives its loop may fire at this very moment
        }

        foreach (IDisposable resource in _owned)
        {
            resource.Dispose();
        }
    }

    private static string Describe(string name, LoopRoundPlan plan) =>
        $"{name}, {(plan.HasSmallStack ? "small stack, " : "")}{plan.Ending} before step {plan.EndsBeforeStep} of "
        + $"{string.Join(" ", plan.Steps.Select(static s => $"{LoopIngredients.All[s.Ingredient].Name}*{s.Size}{(s.IsAwaited ? "!" : "")}"))}";
}
