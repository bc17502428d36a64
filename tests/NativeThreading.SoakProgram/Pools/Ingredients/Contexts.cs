using NativeThreading.SoakProgram.Plan;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>The execution context: it flows where it is to, not where it was suppressed, and no item leaves anything of it behind.</summary>
internal sealed class Contexts : Ingredient
{
    private static readonly AsyncLocal<string?> s_local = new();
    private static readonly AsyncLocal<int> s_throwing = new(static change =>
    {
        if (!change.ThreadContextChanged && change.CurrentValue != 0)
        {
            throw new SoakException();
        }
    });

    public override string Name => "contexts";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        for (int i = Count(step, dice); i > 0; i--)
        {
            string value = $"{dice.Next():x}";
            bool isSuppressed = dice.OneIn(3);
            bool throws = dice.OneIn(10);
            int form = dice.OneIn(2) ? dice.Next(3) : 3; // those that flow, and one that does not
            s_local.Value = value;
            string? expected = isSuppressed || form == 3 ? null : value;
            using (isSuppressed ? ExecutionContext.SuppressFlow() : default(AsyncFlowControl?))
            {
                round.Queue(form, Name, () => Look(round, expected, throws, value));
            }

            s_local.Value = null;
        }
    }

    private void Look(PoolRound round, string? expected, bool throws, string value)
    {
        // A full queue that runs items on their caller may do so in the caller's own context.
        if (s_local.Value != expected && !(round.Shape.Mode == QueueFullMode.RunOnCaller && s_local.Value == value))
        {
            round.Account.Report($"{Name}: the item saw '{s_local.Value}' and not '{expected}'");
        }

        s_local.Value = "left behind";
        if (throws)
        {
            s_throwing.Value = 1;
        }
    }
}
