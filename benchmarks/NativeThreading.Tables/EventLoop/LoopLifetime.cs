namespace NativeThreading.Tables.EventLoops;

/// <summary>A loop from its creation to its end, its thread's included; and a thread that does nothing, which is the
/// part of it that the runtime charges.</summary>
internal static class LoopLifetime
{
    private const int Count = 40;

    public static Sample OfLoop()
    {
        Meter meter = Meter.Start();
        for (int i = 0; i < Count; i++)
        {
            new EventLoop().Dispose();
        }

        return meter.Stop().NanosecondsPer(Count);
    }

    public static Sample OfThread()
    {
        int ran = 0;
        Meter meter = Meter.Start();
        for (int i = 0; i < Count; i++)
        {
            var thread = new Thread(() => ran++) { IsBackground = true };
            thread.Start();
            thread.Join();
        }

        Reading reading = meter.Stop();
        return ran == Count ? reading.NanosecondsPer(Count) : throw new MeasurementException($"{ran} threads ran instead of {Count}.");
    }
}
