using System.Runtime;

namespace NativeThreading.Workloads.Idle;

/// <summary>Tiny items at a fixed interval, in a process that does nothing else: microseconds of CPU time per item above what the producer costs that
/// queues nothing. Segments with and without items alternate.</summary>
internal static class Trickle
{
    private static readonly TimeSpan Segment = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan TieringPause = TimeSpan.FromMilliseconds(250);
    private const int MostWarmUps = 5;
    private static readonly WaitCallback s_item = static _ => Interlocked.Increment(ref s_ran);
    private static long s_ran;

    public static string Name(int perSecond) => $"trickle/{perSecond}";

    public static Sample Run<TPool>(int perSecond, TimeSpan time)
        where TPool : struct, IPool
    {
        TimeSpan interval = TimeSpan.FromSeconds(1) / perSecond;
        int items = (int)(Segment / interval);
        int segments = (int)(time / Segment / 2);

        // Compiled and tiered up before the clock starts, and the threads exist: to compile one method for the last time costs
        // as much as a hundred items. Then one segment of each kind to find the rhythm.
        long compiled;
        int pass = 0;
        do
        {
            compiled = JitInfo.GetCompiledMethodCount();
            SteadyProducer.Run(1_000, TimeSpan.FromMicroseconds(100), Produce);
            Thread.Sleep(TieringPause);
        }
        while (++pass < MostWarmUps && JitInfo.GetCompiledMethodCount() != compiled);

        Measure(static () => { });
        Measure(Produce);
        Thread.Sleep(TieringPause);

        long queued = s_queued;
        double cpu = 0, switches = 0;
        for (int i = 0; i < segments; i++)
        {
            (double Cpu, double Switches) control = Measure(static () => { });
            (double Cpu, double Switches) loaded = Measure(Produce);
            cpu += loaded.Cpu - control.Cpu;
            switches += loaded.Switches - control.Switches;
        }

        queued = s_queued - queued;
        if (!SpinWait.SpinUntil(static () => Volatile.Read(ref s_ran) == s_queued, TimeSpan.FromSeconds(30)))
        {
            throw new MeasurementException($"trickle: {s_ran} items ran instead of {s_queued}.");
        }

        return new Sample(cpu / queued / 1_000, cpu / queued, switches / queued);

        static void Produce()
        {
            s_queued++;
            default(TPool).UnsafeQueue(s_item, null);
        }

        (double Cpu, double Switches) Measure(Action produce)
        {
            Meter meter = Meter.Start();
            SteadyProducer.Run(items, interval, produce);
            Reading reading = meter.Stop();
            return (reading.CpuNanoseconds ?? throw new MeasurementException("no CPU times here."), reading.Switches ?? 0);
        }
    }

    private static long s_queued;
}
