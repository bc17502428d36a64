using System.CommandLine;
using System.Diagnostics;
using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.Http;

namespace NativeThreading.Tables.Priorities;

/// <summary>How long an item of high priority waits while a million items of low priority are queued, compared with an empty pool, and with an item
/// that has the same queue of the built-in pool before it.</summary>
internal sealed class PrioritiesTable : Table
{
    private const int Low = 1_000_000;
    private const int High = 500;
    private const int Spins = 40; // of a low item: half a microsecond and more

    private static readonly TimeSpan s_pause = TimeSpan.FromMicroseconds(100);
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(60);

    public override string Name => "priorities";

    public override string Description => "Waits of items of high priority behind a million of low priority, compared with an empty pool.";

    // The thread that queues needs a processor next to those of the workers.
    public override int RequiredProcessors => 2;

    public override bool IsInAll => false;

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "priorities", MaxThreads = Math.Max(1, Environment.ProcessorCount - 1) });
        Row[] rows = [Of("p50", 0.5), Of("p99", 0.99)];
        return Interleaver.Measure(rows, Schedule.For(options, seconds: 60, quickSeconds: 15), progress);

        Row Of(string name, double share) => new(
            $"priorities/high/{name}",
            "us",
            Better.Lower,
            new Contender(Contender.Native, () => Measure(pool, Low, share)),
            new Contender("empty-pool", () => Measure(pool, 0, share)))
        {
            Note = $"An item from outside every {s_pause.TotalMicroseconds} us, from its queueing to its start. Native: a million items of low priority are queued. The pool has a thread less than there are processors.",
        };
    }

    private static Sample Measure(NativeThreadPool pool, int low, double share)
    {
        int left = low;
        WaitCallback work = _ =>
        {
            Thread.SpinWait(Spins);
            Interlocked.Decrement(ref left);
        };
        for (int i = 0; i < low; i++)
        {
            pool.QueueUserWorkItem(work, null, new WorkOptions { Priority = WorkPriority.Low });
        }

        var waits = new double[High];
        using var started = new CountdownEvent(High);
        for (int i = 0; i < High; i++)
        {
            int number = i;
            long queued = Stopwatch.GetTimestamp();
            pool.QueueUserWorkItem(
                _ =>
                {
                    waits[number] = Stopwatch.GetElapsedTime(queued).TotalMicroseconds;
                    started.Signal();
                },
                null,
                new WorkOptions { Priority = WorkPriority.High });
            while (Stopwatch.GetElapsedTime(queued) < s_pause)
            {
                Thread.SpinWait(10);
            }
        }

        if (!started.Wait(s_deadline))
        {
            throw new MeasurementException($"{started.CurrentCount} of {High} items did not start within {s_deadline.TotalSeconds} s.");
        }

        if (low > 0 && Volatile.Read(ref left) == 0)
        {
            throw new MeasurementException("The items of low priority had completed before those of high priority.");
        }

        if (!SpinWait.SpinUntil(() => Volatile.Read(ref left) == 0, s_deadline))
        {
            throw new MeasurementException($"{left} items of low priority did not complete within {s_deadline.TotalSeconds} s.");
        }

        return new Sample(new Percentiles(waits).At(share), null, null);
    }
}
