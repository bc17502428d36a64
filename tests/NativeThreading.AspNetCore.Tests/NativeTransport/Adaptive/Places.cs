using System.Diagnostics;

namespace NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;

/// <summary>What handlers of these tests do.</summary>
internal static class Places
{
    public const string Loop = "<loop>", OwnPool = "<kestrel>", Runtime = "<runtime>";

    /// <summary>The kind of thread that the caller runs on, whatever its context.</summary>
    public static string Mine => EventLoop.Current is not null ? Loop : $"<{NativeThreadPool.Current?.Name ?? "runtime"}>";

    public static void Compute()
    {
        for (long begun = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(begun) < TimeSpan.FromMilliseconds(6);)
        {
            Thread.SpinWait(100);
        }
    }
}
