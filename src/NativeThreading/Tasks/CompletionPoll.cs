using System.Diagnostics;
using NativeThreading.Interop;

namespace NativeThreading.Tasks;

/// <summary>
/// The other end of a round trip: polls for a completion that is known to be on its way, for about one wake latency, if
/// nobody else in the process does. Both ends must linger for a round trip of a microsecond.
/// </summary>
/// <remarks>
/// Freely for as long as a hand-over between two running threads takes, then with yields: what is waited for may need
/// this very CPU. If another thread got it meanwhile, polling is over.
/// </remarks>
internal static class CompletionPoll
{
    private static readonly long s_duration = (long)(NativeMethods.nth_wake_latency_ns() * (Stopwatch.Frequency / 1e9));
    private static readonly long s_freely = Stopwatch.Frequency / 500_000; // 2 us
    private static readonly long s_lostCpu = Stopwatch.Frequency / 200_000; // 5 us between two polls

    public static bool Until<T>(T target, Func<T, bool> isDone)
    {
        if (s_duration == 0 || NativeMethods.nth_linger_acquire((int)LingerKind.Completion) == 0)
        {
            return false;
        }

        bool done = Poll(target, isDone);
        NativeMethods.nth_linger_release((int)LingerKind.Completion);
        return done;
    }

    private static bool Poll<T>(T target, Func<T, bool> isDone)
    {
        long began = Stopwatch.GetTimestamp();
        long last = began;
        while (!isDone(target))
        {
            long now = Stopwatch.GetTimestamp();
            if (now - began >= s_duration || now - last > s_lostCpu)
            {
                return isDone(target);
            }

            last = now;
            if (now - began < s_freely)
            {
                Thread.SpinWait(1);
            }
            else
            {
                Thread.Yield();
            }
        }

        return true;
    }
}
