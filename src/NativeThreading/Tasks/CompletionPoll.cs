using System.Diagnostics;
using NativeThreading.Interop;

namespace NativeThreading.Tasks;

/// <summary>
/// The other end of a round trip: polls for a completion that is known to be on its way, for about one wake latency, if
/// nobody else in the process does. Both ends must linger for a round trip of a microsecond.
/// </summary>
internal static class CompletionPoll
{
    private static readonly long s_duration = (long)(NativeMethods.nth_wake_latency_ns() * (Stopwatch.Frequency / 1e9));

    public static bool Until<T>(T target, Func<T, bool> isDone)
    {
        if (s_duration == 0 || NativeMethods.nth_linger_acquire((int)LingerKind.Completion) == 0)
        {
            return false;
        }

        long end = Stopwatch.GetTimestamp() + s_duration;
        bool done;
        while (!(done = isDone(target)) && Stopwatch.GetTimestamp() < end)
        {
            Thread.SpinWait(1);
        }

        NativeMethods.nth_linger_release((int)LingerKind.Completion);
        return done;
    }
}
