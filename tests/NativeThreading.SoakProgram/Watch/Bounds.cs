using NativeThreading.Diagnostics;
using NativeThreading.Tracing;

namespace NativeThreading.SoakProgram.Watch;

/// <summary>Checks that threads, descriptors and memory stay bounded: at any time, and tightly when all tracks rest.</summary>
internal sealed class Bounds(SoakLimits limits, Verdict verdict)
{
    private Resources? _base;

    /// <summary>The most there was of each.</summary>
    public Resources Peak { get; private set; }

    /// <summary>What there was at the first rest.</summary>
    public Resources Base => _base ?? default;

    /// <summary>And at the last one.</summary>
    public Resources Last { get; private set; }

    /// <summary>While tracks work.</summary>
    public void Look()
    {
        Resources now = Resources.Now;
        Peak = Resources.Most(Peak, now);
        Demand(now.Threads <= limits.Threads, $"{now.Threads} threads: {ThreadList.Names()}");
        Demand(now.Descriptors <= limits.Descriptors, $"{now.Descriptors} descriptors");
        Demand(now.ResidentBytes <= limits.ResidentBytes, $"{now.ResidentBytes >> 20} MB resident");
    }

    /// <summary>While all tracks rest. The first sample says what the process has without any work.</summary>
    public void LookAtRest()
    {
        Resources now = Collected();
        if (_base is not { } first)
        {
            _base = Last = now;
            return;
        }

        // Threads that have been told to end do so in their own time.
        for (int i = 0; i < 100 && (now.OwnThreads > first.OwnThreads + limits.ThreadsAtRest || now.Descriptors > first.Descriptors + limits.DescriptorsAtRest); i++)
        {
            Thread.Sleep(50);
            now = Collected();
        }

        Last = now;
        Demand(now.OwnThreads <= first.OwnThreads + limits.ThreadsAtRest, $"at rest, {now.OwnThreads} threads, and {first.OwnThreads} at first: {ThreadList.Names()}");
        Demand(now.Descriptors <= first.Descriptors + limits.DescriptorsAtRest, $"at rest, {now.Descriptors} descriptors, and {first.Descriptors} at first");
        Demand(now.ManagedBytes <= first.ManagedBytes + limits.ManagedBytesAtRest, $"at rest, {now.ManagedBytes >> 20} MB of objects, and {first.ManagedBytes >> 20} at first");
        Demand(now.ResidentBytes <= first.ResidentBytes + limits.ResidentBytesAtRest, $"at rest, {now.ResidentBytes >> 20} MB resident, and {first.ResidentBytes >> 20} at first");
        int pools = PoolRegistry.Pools.Count;
        Demand(pools <= limits.PoolsAtRest, $"at rest, {pools} pools are reachable");
    }

    private static Resources Collected()
    {
        for (int i = 0; i < 2; i++)
        {
            GC.Collect(2, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            GC.WaitForPendingFinalizers();
        }

        GC.Collect();
        return Resources.Now;
    }

    private void Demand(bool holds, string otherwise)
    {
        if (!holds)
        {
            verdict.Fail($"bounds: {otherwise}");
        }
    }
}
