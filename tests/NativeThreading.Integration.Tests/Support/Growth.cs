using System.Runtime.CompilerServices;

namespace NativeThreading.Integration.Support;

/// <summary>Whether repeating something makes the process larger.</summary>
internal static class Growth
{
    private const int Rounds = 4;
    private const int Attempts = 12;

    // Attempts that are looked at together: one alone is 4,000 operations, and a heap goes up and down by 100 KB.
    private const int Window = 3;

    // The smallest object has 24 bytes: one that is left behind by every operation is found.
    private const int BytesPerOperation = 12;

    /// <summary>
    /// Each operation of a round gets an object to hold. In the end none of these is reachable, and the heap has not grown
    /// with the number of operations. What libraries keep (buffers, connections) may grow for a while, a leak always does:
    /// a further attempt begins where the last one ended, and the last three count.
    /// </summary>
    public static async Task AssertNoneAsync(int operations, Func<object[], Task> round)
    {
        for (int i = 0; i < Rounds; i++)
        {
            await RoundAsync(operations, round);
        }

        List<long> sizes = [Settled()];
        long grown = 0;
        while (sizes.Count <= Attempts)
        {
            List<WeakReference> held = [];
            for (int i = 0; i < Rounds; i++)
            {
                held.AddRange(await RoundAsync(operations, round));
            }

            await Task.Yield(); // the frames below may be those of the round's last operation
            Retention.AssertCollected([.. held]);
            held = [];
            sizes.Add(Settled());
            if (sizes.Count > Window)
            {
                grown = sizes[^1] - sizes[^(Window + 1)];
                if (grown < (long)BytesPerOperation * operations * Rounds * Window)
                {
                    return;
                }
            }
        }

        Assert.Fail($"{operations * Rounds * Window} operations leave {grown} bytes behind, each time.");
    }

    // By itself, so that no frame that lives on holds the objects.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<WeakReference[]> RoundAsync(int operations, Func<object[], Task> round)
    {
        object[] tokens = [.. Enumerable.Range(0, operations).Select(_ => new object())];
        WeakReference[] held = Array.ConvertAll(tokens, token => new WeakReference(token));
        await round(tokens);
        return held;
    }

    private static long Settled()
    {
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
        GC.WaitForPendingFinalizers();
        return GC.GetTotalMemory(forceFullCollection: true);
    }
}
