using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;

/// <summary>What handlers of these tests do.</summary>
internal static class Places
{
    public const string Loop = "<loop>", OwnPool = "<kestrel>", Runtime = "<runtime>";

    /// <summary>The kind of thread that the caller runs on, whatever its context.</summary>
    public static string Mine => EventLoop.Current is not null ? Loop : $"<{NativeThreadPool.Current?.Name ?? "runtime"}>";

    public static void Compute()
    {
        for (long started = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(started) < TimeSpan.FromMilliseconds(6);)
        {
            Thread.SpinWait(100);
        }
    }

    /// <summary>Without a wait that could be taken for blocking.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static void ComputeUntil(Func<bool> condition)
    {
        for (long started = Stopwatch.GetTimestamp(); !condition();)
        {
            Thread.SpinWait(20);
            if (Stopwatch.GetElapsedTime(started) > Deadline.Time)
            {
                throw new TimeoutException("What the handler computes for has not come.");
            }
        }
    }
}
