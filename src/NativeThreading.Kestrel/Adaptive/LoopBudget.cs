using System.Runtime.CompilerServices;

namespace NativeThreading.Kestrel.Adaptive;

/// <summary>How long segments of a millisecond and more have held one loop in the last second. If the sum is above the budget, the code leaves that
/// has held the loop for the longest: the number of its long calls says little about what they cost other connections. Used from any thread, for long
/// segments only.</summary>
internal sealed class LoopBudget
{
    private static readonly ConditionalWeakTable<EventLoop, LoopBudget> s_all = [];

    private readonly Lock _lock = new();
    private readonly List<Hold> _holds = []; // few, since more than the budget moves code away

    public static LoopBudget Of(EventLoop loop) => s_all.GetValue(loop, static _ => new LoopBudget());

    /// <summary>Charges a segment to its code, and moves code away while the budget is overdrawn.</summary>
    public void Charge(EndpointProfile profile, Verdict verdict, long held, long now)
    {
        lock (_lock)
        {
            _holds.Add(new Hold(profile, verdict, held, now));
        }

        while (TakeHeaviest(now) is { } heaviest)
        {
            heaviest.Profile.Return(heaviest.Verdict);
        }
    }

    /// <summary>If the budget is overdrawn, removes the code that has held the loop for the longest, and returns its last hold.</summary>
    private Hold? TakeHeaviest(long now)
    {
        lock (_lock)
        {
            _holds.RemoveAll(hold => now - hold.At > Learning.BudgetTime);
            if (_holds.Sum(static hold => hold.Held) <= Learning.Budget)
            {
                return null;
            }

            Hold heaviest = _holds.GroupBy(static hold => hold.Profile).MaxBy(static holds => holds.Sum(static hold => hold.Held))!.Last();
            _holds.RemoveAll(hold => hold.Profile == heaviest.Profile);
            return heaviest;
        }
    }

    private readonly record struct Hold(EndpointProfile Profile, Verdict Verdict, long Held, long At);
}
