using System.Diagnostics;
using NativeThreading.Platform;

namespace NativeThreading.Tasks;

/// <summary>
/// The waiting end of a round trip: polls for a completion that will come soon, for about one wake-up latency, if no other thread of the process
/// polls. Both ends must linger for a round trip of a microsecond. Where polling does not pay, it yields once.
/// </summary>
internal static class CompletionPoll
{
    public static bool Until<T>(T target, Func<T, bool> isDone)
    {
        long duration = LingerBudget.Duration;
        if (duration == 0)
        {
            return IsDoneAfterYield(target, isDone);
        }

        if (!LingerBudget.TryTake(LingerKind.Completion))
        {
            return false;
        }

        bool done = Poll(target, isDone, duration);
        LingerBudget.Return(LingerKind.Completion);
        return done;
    }

    private static bool IsDoneAfterYield<T>(T target, Func<T, bool> isDone)
    {
        long began = Stopwatch.GetTimestamp();
        if (!YieldRule.MayYield(began))
        {
            return false;
        }

        SpinRule.Pause(yields: true);
        long now = Stopwatch.GetTimestamp();
        YieldRule.Note(now, now - began, saved: 1);
        return isDone(target);
    }

    private static bool Poll<T>(T target, Func<T, bool> isDone, long duration)
    {
        long began = Stopwatch.GetTimestamp();
        var pace = new PollPace(began);
        while (!isDone(target))
        {
            long now = Stopwatch.GetTimestamp();
            if (now - began >= duration)
            {
                return isDone(target);
            }

            pace.Pause(now);
        }

        return true;
    }
}
