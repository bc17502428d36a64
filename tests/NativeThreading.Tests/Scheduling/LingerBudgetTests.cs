using System.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>T46: one lingerer in the process, seen over whole pools.</summary>
[Trait("Category", "Soak")]
public sealed class LingerBudgetTests : SoakTest
{
    /// <summary>The longest there is: easily seen, and earned by arrivals on a busy machine too.</summary>
    internal static readonly TimeSpan LongTime = TimeSpan.FromMilliseconds(10);

    [Fact]
    public void LingeringIsSeen_WhereItMayHappen()
    {
        // Without this the tests that see none would prove nothing.
        if (LingerBudget.WakeLatencyNanoseconds > 0)
        {
            NativeThreadPool pool = NewFullPool(2, options => options.LingerTime = LongTime);
            Deadline.Until(() => IsSeen([pool]));
        }
    }

    [Fact]
    public void T46_WhileThePlaceIsTaken_NoPoolOfTheProcessLingers()
    {
        NativeThreadPool[] pools = [NewEagerPool(), NewEagerPool(), NewEagerPool()];
        bool possible = LingerBudget.WakeLatencyNanoseconds > 0;
        Deadline.Until(() => !possible || LingerBudget.TryTake(LingerKind.IdleWorker));
        bool seen = IsSeen(pools);
        if (possible)
        {
            LingerBudget.Return(LingerKind.IdleWorker);
        }

        Assert.False(seen);

        NativeThreadPool NewEagerPool() => NewFullPool(4, options => options.LingerTime = LongTime);
    }

    [Fact]
    public void T47_ZeroLingerTime_NeverLingers() =>
        Assert.False(IsSeen([NewFullPool(2, options => options.LingerTime = TimeSpan.Zero)]));

    /// <summary>Whether a worker lingers at any moment of many round trips.</summary>
    internal static bool IsSeen(NativeThreadPool[] pools)
    {
        bool seen = false;
        for (int i = 0; i < 300 && !seen; i++)
        {
            int ran = 0;
            foreach (NativeThreadPool pool in pools)
            {
                pool.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref ran), null);
            }

            // Looks on for a moment after the item: that is when its worker would linger.
            long done = 0;
            Deadline.Until(() =>
            {
                Array.ForEach(pools, pool => seen |= pool.Probe.IsLingering);
                if (Volatile.Read(ref ran) == pools.Length)
                {
                    done = done != 0 ? done : Stopwatch.GetTimestamp();
                }

                return done != 0 && Stopwatch.GetElapsedTime(done) > TimeSpan.FromMicroseconds(50);
            });
        }

        return seen;
    }
}
