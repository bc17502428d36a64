using System.Runtime.CompilerServices;

namespace NativeThreading.Kestrel.Adaptive;

/// <summary>
/// For how long pieces of a millisecond and more have held one loop lately. When that is too long, the code leaves that has held it the longest:
/// how many of its calls were long says little about what it costs others. Used from any thread, and for long pieces only.
/// </summary>
internal sealed class LoopBudget
{
    private static readonly ConditionalWeakTable<EventLoop, LoopBudget> s_all = [];

    private readonly Lock _lock = new();
    private readonly Queue<Hold> _holds = new(); // of the last second; few, since more than the budget sends code away
    private long _held;

    /// <summary>The one of that loop.</summary>
    public static LoopBudget Of(EventLoop loop) => s_all.GetValue(loop, static _ => new LoopBudget());

    /// <summary>Charges a piece to its code, and sends the code away that has to leave.</summary>
    /// <param name="unit">Whose piece it was.</param>
    /// <param name="verdict">What it has done.</param>
    /// <param name="held">For how long it has held the loop.</param>
    /// <param name="now">When it ended.</param>
    public void Charge(LearnedUnit unit, Verdict verdict, long held, long now)
    {
        while (Overdraws(new Hold(unit, verdict, held, now)) is { } most)
        {
            most.Unit.Return(most.Verdict);
            held = 0;
        }
    }

    /// <summary>Adds a hold, unless it is empty. The code that has held the loop the longest, if the budget is overdrawn.</summary>
    private Hold? Overdraws(Hold hold)
    {
        lock (_lock)
        {
            if (hold.Held > 0)
            {
                _holds.Enqueue(hold);
                _held += hold.Held;
            }

            while (_holds.TryPeek(out Hold oldest) && hold.At - oldest.At > Learning.BudgetTime)
            {
                _held -= _holds.Dequeue().Held;
            }

            if (_held <= Learning.Budget)
            {
                return null;
            }

            Hold most = _holds.GroupBy(static hold => hold.Unit).MaxBy(static holds => holds.Sum(static hold => hold.Held))!.Last();
            Hold[] others = [.. _holds.Where(hold => hold.Unit != most.Unit)];
            _holds.Clear();
            _held = 0;
            foreach (Hold other in others)
            {
                _holds.Enqueue(other);
                _held += other.Held;
            }

            return most;
        }
    }

    private readonly record struct Hold(LearnedUnit Unit, Verdict Verdict, long Held, long At);
}
