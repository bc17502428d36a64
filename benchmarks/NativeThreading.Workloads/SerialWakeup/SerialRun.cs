namespace NativeThreading.Workloads.SerialWakeup;

/// <summary>One run: 10,000 items, each waited for before the next is submitted.</summary>
internal static class SerialRun
{
    public const int Trips = 10_000;
    private const int TripsBeforeTheClock = 200;

    public static Sample Measure(string name, ISubmitter submitter)
    {
        var trip = new Trip(submitter);
        Repeat(name, submitter, trip, TripsBeforeTheClock);
        Meter meter = Meter.Start();
        Repeat(name, submitter, trip, Trips);
        Reading reading = meter.Stop();
        trip.Deactivate();
        return trip.Executed == Trips + TripsBeforeTheClock
            ? reading.MillisecondsPer(1)
            : throw new MeasurementException($"serial-wakeup, {name}: {trip.Executed} items ran instead of {Trips + TripsBeforeTheClock} (T122).");
    }

    /// <summary>Without a clock, for a tracer; so many trips.</summary>
    public static void Trace(string name, ISubmitter submitter, int trips) => Repeat(name, submitter, new Trip(submitter), trips);

    private static void Repeat(string name, ISubmitter submitter, Trip trip, int count)
    {
        int here = Environment.CurrentManagedThreadId;
        for (int i = 0; i < count; i++)
        {
            submitter.Submit(trip);
            if (!submitter.Wait())
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
