using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace NativeThreading.Tests.Support;

/// <summary>Whether anything still keeps an object alive.</summary>
internal static class Retention
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(10);

    /// <summary>Fails unless every target is collected. The caller keeps no reference in any frame.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void AssertCollected(params ReadOnlySpan<WeakReference> targets)
    {
        long started = Stopwatch.GetTimestamp();
        int alive;
        do
        {
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
            GC.WaitForPendingFinalizers();
            alive = 0;
            foreach (WeakReference target in targets)
            {
                alive += target.IsAlive ? 1 : 0;
            }
        }
        while (alive != 0 && Stopwatch.GetElapsedTime(started) < s_patience);

        Assert.True(alive == 0, $"{alive} of {targets.Length} objects are still reachable.");
    }
}
