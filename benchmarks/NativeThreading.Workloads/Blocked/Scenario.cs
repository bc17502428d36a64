using System.Diagnostics;

namespace NativeThreading.Workloads.Blocked;

/// <summary>What one run of one row does on a pool; yields the row's value, and what it cost.</summary>
internal sealed record Scenario(string Name, Func<IPool, TimeSpan, Sample> Run)
{
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(30);

    /// <summary>Whether a thread for each item could do it, too.</summary>
    public bool HasFloor { get; private init; }

    /// <summary>Milliseconds until a probe behind that many blocked items has run.</summary>
    public static Scenario Blocked(int items, string kind, Func<Blocker> createBlocker, bool storm = false) =>
        new($"blocked/{items}{kind}", (pool, cap) =>
        {
            using Blocker blocker = createBlocker();
            using GcStorm? allocating = storm ? new GcStorm(threads: 2) : null;
            using var ended = new CountdownEvent(items + 1);
            using var probed = new ManualResetEventSlim();
            Meter meter = Meter.Start();
            for (int i = 0; i < items; i++)
            {
                pool.UnsafeQueue(() =>
                {
                    blocker.Block();
                    ended.Signal();
                });
            }

            pool.UnsafeQueue(() =>
            {
                probed.Set();
                ended.Signal();
            });
            probed.Wait(cap);
            Reading reading = meter.Stop();
            blocker.Release();
            AwaitAll(ended);
            return Milliseconds(reading);
        })
        {
            HasFloor = true,
        };

    /// <summary>Milliseconds until all items have slept once.</summary>
    public static Scenario Sleep(int items, int milliseconds) => new($"sleep/{items}x{milliseconds}ms", (pool, cap) =>
    {
        using var ended = new CountdownEvent(items);
        Meter meter = Meter.Start();
        for (int i = 0; i < items; i++)
        {
            pool.UnsafeQueue(() =>
            {
                Thread.Sleep(milliseconds);
                ended.Signal();
            });
        }

        ended.Wait(cap);
        Reading reading = meter.Stop();
        AwaitAll(ended);
        return Milliseconds(reading);
    });

    /// <summary>Milliseconds until items have ended each of which waits for a task that needs a worker.</summary>
    public static Scenario SyncOverAsync(int items) => new($"sync-over-async/{items}", (pool, cap) =>
    {
        // Not in a using: if the cap ends the run, the items continue for minutes.
        var ended = new CountdownEvent(items);
        Meter meter = Meter.Start();
        for (int i = 0; i < items; i++)
        {
            pool.UnsafeQueue(() =>
            {
                pool.Run(static async () => await Task.Yield()).Wait();
                ended.Signal();
            });
        }

        bool all = ended.Wait(cap);
        Reading reading = meter.Stop();
        if (!all && pool is OwnPool)
        {
            throw new MeasurementException($"sync-over-async: {ended.CurrentCount} of {items} items did not end within {cap.TotalSeconds} s.");
        }

        return Milliseconds(reading);
    });

    private static void AwaitAll(CountdownEvent ended)
    {
        if (!ended.Wait(Deadline))
        {
            throw new MeasurementException($"{ended.CurrentCount} of {ended.InitialCount} items did not end within {Deadline.TotalSeconds} s.");
        }
    }

    private static Sample Milliseconds(Reading reading) => reading.Per(1, reading.Elapsed.TotalMilliseconds);
}
