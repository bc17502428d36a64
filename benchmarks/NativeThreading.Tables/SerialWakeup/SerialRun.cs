using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.SerialWakeup;

/// <summary>One run: 10,000 items, each waited for before the next is submitted.</summary>
internal static class SerialRun
{
    public const int Trips = 10_000;
    private const int TripsBeforeTheClock = 200;

    public static Sample Measure(string name, ISerialPool pool)
    {
        var trip = new Trip(pool);
        Repeat(name, pool, trip, TripsBeforeTheClock);
        Meter meter = Meter.Start();
        Repeat(name, pool, trip, Trips);
        Reading reading = meter.Stop();
        trip.Deactivate();
        return trip.Executed == Trips + TripsBeforeTheClock
            ? reading.MillisecondsPer(1)
            : throw new MeasurementException($"serial-wakeup, {name}: {trip.Executed} items ran instead of {Trips + TripsBeforeTheClock} (T122).");
    }

    /// <summary>Without a clock, for a tracer; so many trips.</summary>
    public static void Trace(string name, ISerialPool pool, int trips) => Repeat(name, pool, new Trip(pool), trips);

    private static void Repeat(string name, ISerialPool pool, Trip trip, int count)
    {
        int here = Environment.CurrentManagedThreadId;
        for (int i = 0; i < count; i++)
        {
            pool.Submit(trip);
            if (!pool.Wait())
            {
                throw new MeasurementException($"serial-wakeup, {name}: an item did not run within half a minute.");
            }

            if (trip.ThreadId == here)
            {
                throw new MeasurementException($"serial-wakeup, {name}: the item ran on the submitting thread (T120).");
            }
        }
    }
}
